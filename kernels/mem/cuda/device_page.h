// The index of a page of the reference, which a device builds.
#pragma once

#include <stdint.h>

#include "gpu/kept_memory.h"
#include "mem/cuda/device_text.h"
#include "mem/cuda/stream.h"
#include "mem/index/index.h"

namespace gkl_shim::mem {

// The index of a page in device memory.
class DevicePage {
   public:
    explicit DevicePage(const CudaDriver &driver)
        : driver_(driver), indexed_(driver, kEventSpinning) {}
    DevicePage(const DevicePage &) = delete;

    // Indexes the positions [first, last) of the reference for matches of this length or longer,
    // unless they are indexed already. An index has the same seeds in all calls. The device may
    // still be at work afterwards.
    void build(Stream *stream, const Index &index, const Seeds &seeds, int64_t first, int64_t last,
               int64_t min_length, int threads);

    // Waits until the page is indexed.
    void wait() const { driver_.wait_for_event(indexed_.get()); }

    // The most letters of a page: positions, which count from a place before it, have 32 bits.
    static int64_t max_letters(const Seeds &seeds);

    const DeviceText &reference() const { return reference_; }
    const uint32_t *starts() const { return starts_.as<uint32_t>(); }
    const uint32_t *positions() const { return positions_.as<uint32_t>(); }

   private:
    const CudaDriver &driver_;
    const gpu::Event indexed_;
    int64_t index_ = -1, first_ = 0, last_ = 0;
    int64_t after_ = 0;  // letters after the page that were sent with it
    DeviceText reference_;
    gpu::KeptMemory<uint64_t> starts_, positions_;
    // While the page is indexed: the parts of the table, and the seeds of each.
    gpu::KeptMemory<uint64_t> part_starts_, divided_;
};

}  // namespace gkl_shim::mem

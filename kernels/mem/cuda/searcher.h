// One device's part of a search: indexes a page, and finds the matches of queries in it.
#pragma once

#include <stdint.h>

#include <vector>

#include "gkl_shim_internal.h"
#include "gpu/driver.h"
#include "gpu/kept_memory.h"
#include "mem/cpu/index.h"
#include "mem/cuda/device_text.h"
#include "mem/cuda/work.h"
#include "mem/results.h"

namespace gkl_shim {
namespace mem {

// Nanoseconds of each step, of all devices together.
struct StepTimes {
    int64_t index = 0, match = 0, expand = 0;
};

// A stream, and the memory of a chunk of queries. The device's context is current in all calls.
class Stream {
   public:
    Stream(const CudaDriver &driver, const gkl_shim_mem_cuda_kernels &kernels);
    ~Stream();
    Stream(const Stream &) = delete;

    const CudaDriver &driver;
    const gkl_shim_mem_cuda_kernels &kernels;
    void *const stream;

    // Launches enough blocks for this many threads.
    void launch(void *kernel, int64_t threads, void **parameters) const;

    DeviceText queries;
    gpu::KeptMemory<uint64_t> counts, matches;
};

// The index of a page in device memory.
class DevicePage {
   public:
    explicit DevicePage(const CudaDriver &driver) : driver_(driver) {}
    ~DevicePage();
    DevicePage(const DevicePage &) = delete;

    // Indexes the positions [first, last) of the reference, unless they are indexed already.
    void build(const Stream &stream, const Index &index, int64_t first, int64_t last);

    const DeviceText &reference() const { return reference_; }
    const uint32_t *starts() const { return reinterpret_cast<uint32_t *>(starts_.address()); }
    const uint32_t *positions() const { return reinterpret_cast<uint32_t *>(positions_.address()); }

   private:
    const CudaDriver &driver_;
    int64_t index_ = -1, first_ = 0, last_ = 0;
    DeviceText reference_;
    gpu::KeptMemory<uint64_t> starts_, positions_, sums_;
};

// Finds the matches whose first seed lies in [first, last) of the queries. At most about
// `most_bytes` of matches are in device memory at a time. Adds them to `found`, and the time to
// `times`.
void find_on_device(Stream *stream, const DevicePage &page, const Index &index, const Text &queries,
                    int64_t min_length, int64_t first, int64_t last, int64_t most_bytes,
                    std::vector<Match> *found, StepTimes *times);

}  // namespace mem
}  // namespace gkl_shim

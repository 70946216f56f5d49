// Lists of sequences that stay in device memory.
#pragma once

#include <stdint.h>

#include <memory>
#include <mutex>
#include <vector>

#include "gpu/devices.h"
#include "gpu/driver.h"
#include "gpu/kept_memory.h"
#include "prefilter/cuda/sources/sequences.h"
#include "prefilter/cuda/work.h"

namespace gkl_shim::prefilter {

// A list of sequences on the devices. Its buffer goes once to each device that asks for it. Letters
// are encoded first.
class DeviceSequences {
   public:
    // `count`: sequences whose starts and lengths are sent too; 0: none are needed.
    DeviceSequences(const CudaDriver &driver, const Sequences &list, int64_t count, int threads)
        : driver_(driver), list_(list), count_(count), threads_(threads) {}
    ~DeviceSequences();
    DeviceSequences(const DeviceSequences &) = delete;

    struct Address {
        Planes planes;
        Places places;
    };
    // The device's context is current.
    Address on(const gpu::Device &device, void *stream);

   private:
    struct Copy {
        size_t device;
        void *context;
        Address address;
        std::vector<std::unique_ptr<gpu::Memory<uint64_t>>> memory;
    };

    void encode();
    void send(Copy *copy, void *stream) const;
    template <class T>
    const T *send(const T *array, int64_t count, int64_t padding, Copy *copy, void *stream) const;

    // A copy, because the engine may be closed first.
    const CudaDriver driver_;
    Sequences list_;
    const int64_t count_;
    const int threads_;
    std::vector<uint32_t> planes_;  // of letters
    std::mutex mutex_;
    std::vector<std::unique_ptr<Copy>> copies_;
};

}  // namespace gkl_shim::prefilter

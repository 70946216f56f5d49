// Transfers to a device through pinned memory, from which the bus is several times as fast.
#pragma once

#include <stdint.h>

#include <memory>

#include "gpu/driver.h"
#include "gpu/kept_memory.h"
#include "gpu/stream.h"

namespace gkl_shim::mem {

// Two buffers of pinned memory, and what is sent through them. They take turns: the device reads
// one while the host fills the other. The device's context is current in all calls.
class Sender {
   public:
    Sender(const CudaDriver &driver, void *stream) : driver_(driver), stream_(stream) {}
    Sender(const Sender &) = delete;

    // The bytes that follow go to this address, one after another. `bytes` is how many.
    void begin(uint64_t to, int64_t bytes);
    // Copies bytes on as many threads.
    void copy(const uint8_t *from, int64_t bytes, int threads);
    void fill(uint8_t value, int64_t bytes);
    // Sends what is left.
    void end();

   private:
    struct StagingBuffer {
        gpu::KeptMemory<void *> memory;
        std::unique_ptr<gpu::Event> sent;  // when the device has read the memory
    };

    // Calls write(memory, done, bytes) for each buffer that the next bytes go through.
    template <class Write>
    void add(int64_t bytes, const Write &write);
    void flush();

    const CudaDriver &driver_;
    void *const stream_;
    StagingBuffer buffers_[2];
    int current_ = 0;
    int64_t size_ = 0, used_ = 0;  // of a buffer
    uint64_t to_ = 0;
};

}  // namespace gkl_shim::mem

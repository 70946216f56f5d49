// Transfers to a device through pinned memory, from which the bus is several times as fast.
#pragma once

#include <stdint.h>
#include <string.h>

#include <algorithm>
#include <memory>

#include "common/memory/copy.h"
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
    void begin(uint64_t to, int64_t bytes) {
        to_ = to;
        used_ = 0;  // an earlier transfer may have ended halfway
        size_ = std::min(bytes, kMaxBufferBytes);
        for (StagingBuffer &buffer : buffers_) {
            buffer.memory.grow(driver_, stream_, size_);
            if (!buffer.sent) buffer.sent = std::make_unique<gpu::Event>(driver_, kEventSpinning);
        }
    }
    // Copies bytes on as many threads.
    void copy(const uint8_t *from, int64_t bytes, int threads) {
        add(bytes, [&](uint8_t *memory, int64_t done, int64_t now) {
            copy_all({{memory, from + done, now}}, threads, Calls::kSeveral);
        });
    }
    void fill(uint8_t value, int64_t bytes) {
        add(bytes,
            [&](uint8_t *memory, int64_t, int64_t now) { memset(memory, value, size_t(now)); });
    }
    // Sends what is left.
    void end() {
        if (used_ > 0) flush();
    }

   private:
    static constexpr int64_t kMaxBufferBytes = int64_t(1) << 23;

    struct StagingBuffer {
        gpu::KeptMemory<void *> memory;
        std::unique_ptr<gpu::Event> sent;  // when the device has read the memory
    };

    // Calls write(memory, done, bytes) for each buffer that the next bytes go through.
    template <class Write>
    void add(int64_t bytes, const Write &write) {
        for (int64_t done = 0; done < bytes;) {
            if (used_ == 0) driver_.wait_for_event(buffers_[current_].sent->get());
            const int64_t now = std::min(bytes - done, size_ - used_);
            write(buffers_[current_].memory.as<uint8_t>() + used_, done, now);
            done += now;
            used_ += now;
            if (used_ == size_) flush();
        }
    }

    void flush() {
        StagingBuffer &buffer = buffers_[current_];
        driver_.send(to_, buffer.memory.address(), used_, stream_);
        driver_.record(buffer.sent->get(), stream_);
        to_ += uint64_t(used_);
        used_ = 0;
        current_ = 1 - current_;
    }

    const CudaDriver &driver_;
    void *const stream_;
    StagingBuffer buffers_[2];
    int current_ = 0;
    int64_t size_ = 0, used_ = 0;  // of a buffer
    uint64_t to_ = 0;
};

}  // namespace gkl_shim::mem

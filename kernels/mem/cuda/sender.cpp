#include "mem/cuda/sender.h"

#include <string.h>

#include <algorithm>

#include "common/memory/copy.h"

namespace gkl_shim::mem {

const int64_t kMaxBufferBytes = int64_t(1) << 23;

void Sender::begin(uint64_t to, int64_t bytes) {
    to_ = to;
    used_ = 0;  // an earlier transfer may have ended halfway
    size_ = std::min(bytes, kMaxBufferBytes);
    for (StagingBuffer &buffer : buffers_) {
        buffer.memory.grow(driver_, stream_, size_);
        if (!buffer.sent) buffer.sent = std::make_unique<gpu::Event>(driver_, kEventSpinning);
    }
}

template <class Write>
void Sender::add(int64_t bytes, const Write &write) {
    for (int64_t done = 0; done < bytes;) {
        if (used_ == 0) driver_.wait_for_event(buffers_[current_].sent->get());
        const int64_t now = std::min(bytes - done, size_ - used_);
        write(buffers_[current_].memory.as<uint8_t>() + used_, done, now);
        done += now;
        used_ += now;
        if (used_ == size_) flush();
    }
}

void Sender::copy(const uint8_t *from, int64_t bytes, int threads) {
    add(bytes, [&](uint8_t *memory, int64_t done, int64_t now) {
        copy_all({{memory, from + done, now}}, threads, Calls::kSeveral);
    });
}

void Sender::fill(uint8_t value, int64_t bytes) {
    add(bytes, [&](uint8_t *memory, int64_t, int64_t now) { memset(memory, value, size_t(now)); });
}

void Sender::end() {
    if (used_ > 0) flush();
}

void Sender::flush() {
    StagingBuffer &buffer = buffers_[current_];
    driver_.send(to_, buffer.memory.address(), used_, stream_);
    driver_.record(buffer.sent->get(), stream_);
    to_ += uint64_t(used_);
    used_ = 0;
    current_ = 1 - current_;
}

}  // namespace gkl_shim::mem

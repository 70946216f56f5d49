// Streams and events of a device that free themselves.
#pragma once

#include "gpu/driver.h"

namespace gkl_shim::gpu {

// A stream of the device whose context is current, here and in the destructor. Its owner calls
// finish() before it frees memory that the stream uses.
class Stream {
   public:
    Stream(const CudaDriver &driver) : driver_(driver), stream_(driver.stream()) {}
    ~Stream() { driver_.free_stream(stream_); }
    Stream(const Stream &) = delete;

    void *get() const { return stream_; }

    // Waits for what is in flight, unless the device has failed: it does nothing more.
    void finish() const noexcept {
        try {
            driver_.wait_for_stream(stream_);
        } catch (const CudaFailure &) {
        }
    }

   private:
    const CudaDriver &driver_;
    void *const stream_;
};

// An event of the device whose context is current, here and in the destructor.
class Event {
   public:
    // `kind`: kEventBlocking or kEventSpinning.
    Event(const CudaDriver &driver, uint32_t kind) : driver_(driver), event_(driver.event(kind)) {}
    ~Event() { driver_.free_event(event_); }
    Event(const Event &) = delete;

    void *get() const { return event_; }

   private:
    const CudaDriver &driver_;
    void *const event_;
};

}  // namespace gkl_shim::gpu

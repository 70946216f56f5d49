// Streams and events of a device that free themselves, and the timer of kernels.
#pragma once

#include <algorithm>
#include <vector>

#include "gpu/driver.h"

namespace gkl_shim {
namespace gpu {

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
    // `kind`: kEventBlocking or kEventTimed.
    Event(const CudaDriver &driver, uint32_t kind) : driver_(driver), event_(driver.event(kind)) {}
    ~Event() { driver_.free_event(event_); }
    Event(const Event &) = delete;

    void *get() const { return event_; }

   private:
    const CudaDriver &driver_;
    void *const event_;
};

// Returns the median seconds of what launch() puts on a stream. prepare() comes before each launch
// and is not timed.
template <class Prepare, class Launch>
double median_seconds(const CudaDriver &driver, void *stream, int repeats, Prepare prepare,
                      Launch launch) {
    const Event begin(driver, kEventTimed), end(driver, kEventTimed);
    std::vector<double> seconds;
    for (int k = 0; k < repeats; k++) {
        driver.wait_for_stream(stream);
        prepare();
        driver.record(begin.get(), stream);
        launch();
        driver.record(end.get(), stream);
        driver.wait_for_event(end.get());
        seconds.push_back(driver.seconds(begin.get(), end.get()));
    }
    std::sort(seconds.begin(), seconds.end());
    return seconds[seconds.size() / 2];
}

}  // namespace gpu
}  // namespace gkl_shim

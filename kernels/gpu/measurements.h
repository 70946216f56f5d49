// The timer of kernels, for the files measurements.cpp.
#pragma once

#include <algorithm>
#include <vector>

#include "gpu/driver.h"
#include "gpu/stream.h"

namespace gkl_shim {
namespace gpu {

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

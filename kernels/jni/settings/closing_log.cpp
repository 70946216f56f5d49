#include "closing_log.h"

#include <time.h>

#include "log.h"

namespace gkl_shim {
namespace jni {

std::string CallTotals::line(const char *call) const {
    const double seconds = double(nanoseconds_) * 1e-9;
    std::string line = plural(calls_, call);
    // Left out where each call has one pair.
    if (pairs_ != calls_) line += format(", %lld pairs", (long long)pairs_);
    line += format(", %lld cells in %.4f s, %.2f GCUPS", (long long)cells_, seconds,
                   double(cells_) / seconds * 1e-9);
    // Elapsed time, summed over the threads that call. A call may use several CPUs, or wait for a
    // GPU.
    timespec used;
    if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used) == 0) {
        const double run = double(used.tv_sec) + 1e-9 * double(used.tv_nsec);
        line += format(", %.2f%% of the run's %.1f CPU seconds", 100 * seconds / run, run);
    }
    return line;
}

}  // namespace jni
}  // namespace gkl_shim

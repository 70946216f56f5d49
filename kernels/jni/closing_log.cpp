#include "closing_log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "log.h"

namespace gkl_shim {
namespace jni {
namespace {

// How long this process has run, in seconds; 0 if the system does not say.
double process_seconds() {
    FILE *file = fopen("/proc/self/stat", "re");
    if (file == nullptr) return 0;
    char text[4096];
    const size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[length] = '\0';
    // The second field is the name of the command in parentheses and may contain anything. The 22nd
    // is the start time of the process, in clock ticks since boot.
    const char *field = strrchr(text, ')');
    for (int i = 2; field != nullptr && i < 22; i++) field = strchr(field + 1, ' ');
    timespec now;
    if (field == nullptr || clock_gettime(CLOCK_BOOTTIME, &now) != 0) return 0;
    const double started = double(strtoull(field, nullptr, 10)) / double(sysconf(_SC_CLK_TCK));
    return double(now.tv_sec) + 1e-9 * double(now.tv_nsec) - started;
}

}  // namespace

std::string CallTotals::line(const char *call) const {
    const double seconds = double(nanoseconds_) * 1e-9, run = process_seconds();
    std::string line = plural(calls_, call);
    // Left out where each call has one pair.
    if (pairs_ != calls_) line += format(", %lld pairs", (long long)pairs_);
    line += format(", %lld cells in %.4f s, %.2f GCUPS", (long long)cells_, seconds,
                   double(cells_) / seconds * 1e-9);
    if (run > 0) line += format(", %.2f%% of the run's %.1f s", 100 * seconds / run, run);
    return line;
}

}  // namespace jni
}  // namespace gkl_shim

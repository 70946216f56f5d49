#include "smithwaterman_calls.h"

#include "guarded_jni.h"
#include "log.h"
#include "settings.h"

namespace gkl_shim {
namespace jni {
namespace {

void report_calls() { SmithWatermanCalls::get().report(); }

}  // namespace

SmithWatermanCalls &SmithWatermanCalls::get() {
    static SmithWatermanCalls *const calls = new SmithWatermanCalls;
    return *calls;
}

gkl_shim_smithwaterman *SmithWatermanCalls::handle() {
    gkl_shim_smithwaterman *known = handle_.load(std::memory_order_acquire);
    if (known != nullptr) return known;
    const std::lock_guard<std::mutex> lock(mutex_);
    known = handle_.load(std::memory_order_relaxed);
    if (known != nullptr) return known;
    gkl_shim_smithwaterman_options options = {};
    options.threads = 1;
    options.build = settings().build.empty() ? nullptr : settings().build.c_str();
    check(gkl_shim_smithwaterman_open(&options, &known));
    handle_.store(known, std::memory_order_release);
    return known;
}

void SmithWatermanCalls::announce(const std::string &replaced) {
    if (announced_.load(std::memory_order_acquire)) return;
    const char *const build = gkl_shim_smithwaterman_build(handle());
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (announced_.load(std::memory_order_relaxed)) return;
        log_setting_warnings();
        if (settings().log != LogLevel::kQuiet)
            log_line(format(
                "Smith-Waterman: %s build (%s); %s", build,
                settings().build.empty() ? "the best for this CPU" : "asked for by GKL_SHIM_BUILD",
                replaced.c_str()));
        announced_.store(true, std::memory_order_release);
    }
    at_process_end<report_calls>();
}

void SmithWatermanCalls::align(const gkl_shim_smithwaterman_batch &pair,
                               const gkl_shim_smithwaterman_parameters &parameters, int64_t *offset,
                               int64_t *cigar_offsets, char *cigar, int64_t size) {
    check(gkl_shim_smithwaterman_align(handle(), &pair, &parameters, offset, cigar_offsets, cigar,
                                       size));
}

void SmithWatermanCalls::account(int64_t cells, double seconds) {
    if (announced_.load(std::memory_order_acquire)) totals_.add(1, cells, seconds);
}

void SmithWatermanCalls::report() {
    if (settings().log == LogLevel::kQuiet) return;
    log_line("Smith-Waterman: " + (totals_.calls() == 0 ? "loaded, but nothing was aligned"
                                                        : totals_.line("alignment")));
}

}  // namespace jni
}  // namespace gkl_shim

// The closing lines of the log, which the process writes for each algorithm when it ends.
#include <time.h>

#include "common/floating_point_mode.h"
#include "jni/calls/pairhmm_calls.h"
#include "jni/calls/pdhmm_calls.h"
#include "jni/settings/log.h"

namespace gkl_shim::jni {

void Calls::report() noexcept {
    const FloatingPointMode mode;
    quietly([this] { write_closing_lines(); });
}

void Calls::write_closing_lines() {
    const bool quiet = settings().log == LogLevel::kQuiet;
    const int64_t records = recorder_ ? recorder_->finish() : -1;
    if (records >= 0 && !quiet)
        log_line(title() + ": " + plural(records, texts_.record) + " recorded" +
                 (records > 0 ? " to " + recorder_->name() : "") + recording_detail());
    if (settings().verify > 0) log_verified();
    if (quiet) return;
    if (totals_.calls() == 0)
        log_line(title() + ": " + texts_.idle);
    else
        log_line(title() + ": " + totals_.line(texts_.call) + totals_detail());
}

// Differences are a warning, which a quiet log has, too.
void Calls::log_verified() {
    const Verification::Counts counts = verification_.counts();
    const std::string detail = verification_detail();
    std::string line = title() + format(": %s verified %s, %lld different",
                                        plural(counts.verified, texts_.call).c_str(),
                                        texts_.verified, (long long)counts.different);
    if (!detail.empty()) line += ", " + detail;
    if (counts.failed > 0) line += format("; %lld could not be verified", (long long)counts.failed);
    if (counts.different > 0)
        log_warning(line + format("; %s=off leaves it to GATK", texts_.setting));
    else if (settings().log != LogLevel::kQuiet)
        log_line(line);
}

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

std::string RegionCalls::recording_detail() const {
    const int64_t quals = replaced_quals_, letters = replaced_letters_;
    std::string detail;
    if (quals > 0) detail += format(" (%lld qualities above 93 written as 93)", (long long)quals);
    if (letters > 0)
        detail +=
            format(" (%lld letters other than ACGTN written as A, which gives other likelihoods)",
                   (long long)letters);
    return detail;
}

std::string RegionCalls::verification_detail() {
    return format("largest difference %.2g", differences_.largest());
}

std::string PairHmmCalls::totals_detail() const {
    int64_t rescued = 0, rescaled = 0, on_gpu = 0;
    handles_.for_each([&](const gkl_shim_pairhmm *handle) {
        gkl_shim_pairhmm_stats statistics;
        gkl_shim_pairhmm_statistics(handle, &statistics);
        rescued += statistics.rescued_pairs;
        rescaled += statistics.rescaled_pairs;
        on_gpu += statistics.cuda_pairs;
    });
    std::string detail =
        format("; %lld pairs computed again in double precision", (long long)rescued);
    if (rescaled > 0) detail += format(", %lld with rescaling", (long long)rescaled);
    if (on_gpu > 0)
        detail += format("; %lld pairs on %s", (long long)on_gpu, gkl_shim_pairhmm_cuda_state());
    return detail;
}

std::string PdhmmCalls::totals_detail() const {
    int64_t rescued = 0;
    handles_.for_each([&](const gkl_shim_pdhmm *handle) {
        gkl_shim_pdhmm_stats statistics;
        gkl_shim_pdhmm_statistics(handle, &statistics);
        rescued += statistics.rescued_pairs;
    });
    return rescued == 0 ? "" : format("; %lld pairs computed a second time", (long long)rescued);
}

}  // namespace gkl_shim::jni

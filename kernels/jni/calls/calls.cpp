#include "calls.h"

#include <time.h>

namespace gkl_shim::jni {

void Calls::open_recording() {
    log_setting_warnings();
    if (record_file_.empty()) return;
    recorder_.reset(new Recorder(record_file_, record_setting_));
    if (!recorder_->open()) recorder_.reset();
}

void Calls::log_extras() const {
    if (recorder_)
        log_line(title() + ": every " + texts_.record + " is recorded to " + recorder_->name());
    if (settings().verify > 0)
        log_line(
            title() +
            format(": one %s in %lld is verified ", texts_.call, (long long)settings().verify) +
            texts_.verified_by);
}

void Calls::write_closing_lines(const ClosingDetails &details) {
    const bool quiet = settings().log == LogLevel::kQuiet;
    const int64_t records = recorder_ ? recorder_->finish() : -1;
    if (records >= 0 && !quiet)
        log_line(title() + ": " + plural(records, texts_.record) + " recorded" +
                 (records > 0 ? " to " + recorder_->name() : "") + details.recording);
    if (settings().verify > 0) log_verified(details.verification);
    if (quiet) return;
    if (totals_.calls() == 0)
        log_line(title() + ": " + texts_.idle);
    else
        log_line(title() + ": " + totals_.line(texts_.call) + details.totals);
}

// Differences are a warning, which a quiet log has, too.
void Calls::log_verified(const std::string &detail) {
    const Verification::Counts counts = verification_.counts();
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

}  // namespace gkl_shim::jni

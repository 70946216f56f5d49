#include "smithwaterman_calls.h"

#include <vector>

#include "gkl_shim_internal.h"
#include "guarded_jni.h"
#include "log.h"
#include "settings.h"

namespace gkl_shim {
namespace jni {
namespace {

void report_smithwaterman() { SmithWatermanCalls::get().report(); }

// A line in the format of `gkl-shim smithwaterman`: both sequences, the scores and the strategy.
std::string record(const gkl_shim_smithwaterman_batch &pair,
                   const gkl_shim_smithwaterman_parameters &p) {
    std::string line;
    const auto append = [&](const uint8_t *letters, int64_t count) {
        for (int64_t k = 0; k < count; k++)
            // A byte that would end the field becomes one that no letter is equal to.
            line += letters[k] == '\t' || letters[k] == '\n' || letters[k] == '\r'
                        ? '\v'
                        : char(letters[k]);
    };
    append(pair.references, pair.reference_offsets[1]);
    line += '\t';
    append(pair.alternatives, pair.alternative_offsets[1]);
    const char *const strategies[] = {"softclip", "indel", "leading_indel", "ignore"};
    line += format("\t%d,%d,%d,%d\t%s\n", int(p.match), int(p.mismatch), int(p.gap_open),
                   int(p.gap_extend), strategies[p.overhang]);
    return line;
}

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
        const std::string &file = settings().record_smithwaterman;
        if (!file.empty()) {
            recorder_.reset(new Recorder(file, "GKL_SHIM_RECORD_SMITHWATERMAN"));
            if (!recorder_->open()) recorder_.reset();
        }
        if (settings().log != LogLevel::kQuiet)
            log_line("Smith-Waterman: " + build_text(build) + "; " + replaced);
        if (recorder_ && settings().log != LogLevel::kQuiet)
            log_line("Smith-Waterman: every pair is recorded to " + recorder_->name());
        if (settings().verify > 0 && settings().log != LogLevel::kQuiet)
            log_line(
                format("Smith-Waterman: one alignment in %lld is verified with Java's arithmetic",
                       (long long)settings().verify));
        announced_.store(true, std::memory_order_release);
    }
    at_process_end<report_smithwaterman>();
}

void SmithWatermanCalls::align(const gkl_shim_smithwaterman_batch &pair,
                               const gkl_shim_smithwaterman_parameters &parameters, int64_t *offset,
                               int64_t *cigar_offsets, char *cigar, int64_t size) {
    check(gkl_shim_smithwaterman_align(handle(), &pair, &parameters, offset, cigar_offsets, cigar,
                                       size));
}

void SmithWatermanCalls::account(const gkl_shim_smithwaterman_batch &pair,
                                 const gkl_shim_smithwaterman_parameters &parameters,
                                 int64_t offset, const char *cigar, int64_t length,
                                 double seconds) {
    if (!announced_.load(std::memory_order_acquire)) return;
    const int64_t number =
        totals_.add(1, pair.reference_offsets[1] * pair.alternative_offsets[1], seconds);
    if (recorder_)
        without_failing("Smith-Waterman: alignment", number,
                        [&] { recorder_->add(record(pair, parameters)); });
    if (settings().verify > 0 && number % settings().verify == 0)
        verification_.verify(number, [&] {
            return difference(pair, parameters, offset, std::string(cigar, size_t(length)));
        });
}

std::string SmithWatermanCalls::difference(const gkl_shim_smithwaterman_batch &pair,
                                           const gkl_shim_smithwaterman_parameters &parameters,
                                           int64_t offset, const std::string &cigar) {
    const int64_t letters = pair.reference_offsets[1] + pair.alternative_offsets[1];
    std::vector<char> text(size_t(2 * letters));
    int64_t expected_offset = 0, ends[2] = {};
    check(gkl_shim_smithwaterman_align_exactly(handle(), &pair, &parameters, &expected_offset, ends,
                                               text.data(), int64_t(text.size())));
    const std::string expected(text.data(), size_t(ends[1]));
    if (offset == expected_offset && cigar == expected) return "";
    return format("%s at %lld, but Java's arithmetic gives %s at %lld", cigar.c_str(),
                  (long long)offset, expected.c_str(), (long long)expected_offset);
}

void SmithWatermanCalls::report() {
    const int64_t recorded = recorder_ ? recorder_->finish() : -1;
    if (settings().verify > 0) verification_.report("with Java's arithmetic", "");
    if (settings().log == LogLevel::kQuiet) return;
    if (recorded > 0)
        log_line("Smith-Waterman: " + plural(recorded, "pair") + " recorded to " +
                 recorder_->name());
    log_line("Smith-Waterman: " + (totals_.calls() == 0 ? "loaded, but nothing was aligned"
                                                        : totals_.line("alignment")));
}

}  // namespace jni
}  // namespace gkl_shim

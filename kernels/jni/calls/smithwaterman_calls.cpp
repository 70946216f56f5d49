#include "smithwaterman_calls.h"

#include <vector>

#include "gkl_shim_internal.h"
#include "jni/guarded_jni.h"
#include "jni/settings/log.h"
#include "jni/settings/settings.h"

namespace gkl_shim::jni {
namespace {

const CallTexts kSmithWatermanTexts = {"Smith-Waterman",
                                       "alignment",
                                       "pair",
                                       "GKL_SHIM_SMITHWATERMAN",
                                       "with Java's arithmetic",
                                       "with Java's arithmetic",
                                       "loaded, but nothing was aligned"};

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

SmithWatermanCalls::SmithWatermanCalls()
    : calls_(kSmithWatermanTexts, settings().record_smithwaterman, "GKL_SHIM_RECORD_SMITHWATERMAN",
             [] { get().calls_.report([] { return ClosingDetails(); }); }) {}

gkl_shim_smithwaterman *SmithWatermanCalls::handle() {
    return handles_.get(0, [] {
        const gkl_shim_smithwaterman_options options = {1, chosen_build()};
        gkl_shim_smithwaterman *handle;
        check(gkl_shim_smithwaterman_open(&options, &handle));
        return handle;
    });
}

void SmithWatermanCalls::announce(const std::string &replaced) {
    calls_.announce([&] {
        log_line("Smith-Waterman: " + build_text(gkl_shim_smithwaterman_build(handle())) + "; " +
                 replaced);
    });
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
    if (!calls_.announced()) return;
    calls_.account(
        1, pair.reference_offsets[1] * pair.alternative_offsets[1], seconds,
        [&](Recorder *recorder) { recorder->add(record(pair, parameters)); },
        [&] { return difference(pair, parameters, offset, std::string(cigar, size_t(length))); });
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

}  // namespace gkl_shim::jni

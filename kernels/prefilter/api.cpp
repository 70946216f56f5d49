// The prefilter part of the C ABI: checks the arguments and calls the engine.
#include <atomic>

#include "common/cpu.h"
#include "common/error.h"
#include "common/thread_pool.h"
#include "gkl_shim_internal.h"
#include "prefilter/cpu/engine.h"

struct gkl_shim_prefilter {
    gkl_shim::prefilter::CpuSettings settings;
};

namespace gkl_shim::prefilter {
namespace {

// How many bases one thread encodes at a time; a multiple of 32.
constexpr int64_t kEncodedSlice = int64_t(1) << 18;
// How many bases one thread encodes in a nanosecond, about.
constexpr int64_t kEncodedPerNanosecond = 8;

// Bases of reads a nanosecond, on one thread of the CPU with at most kNarrow edits, and in the
// GPU's kernels. Bytes a nanosecond on their way to the GPU, encoding included. Measured with an
// H200 and the CPU of its machine (docs/algorithms/prefilter.md).
constexpr double kCpuBases = 4, kGpuBases = 1000, kSentBytes = 48, kTripNanoseconds = 50000;
constexpr int kNarrow = 15;

bool check_sequences(const char *name, const gkl_shim_prefilter_sequences &sequences, int64_t pairs,
                     int32_t longest) {
    if (!sequences.letters && (!sequences.low || !sequences.high))
        return fail("%s: letters is null, and so is low or high", name);
    if (sequences.size < 0 || sequences.size > kMaxElements)
        return fail("%s: size is %lld, %s", name, (long long)sequences.size,
                    sequences.size < 0 ? "less than 0" : "more than fits into any memory");
    if (!sequences.starts && sequences.stride < 0)
        return fail("%s: stride is %lld, less than 0", name, (long long)sequences.stride);
    const auto check = [&](int64_t k) {
        const int32_t length = length_of(sequences, k);
        if (length < 1 || length > longest)
            return fail("%s: sequence %lld has length %d, not 1 to %d", name, (long long)k, length,
                        longest);
        int64_t start = 0;
        if (sequences.starts)
            start = sequences.starts[k];
        else if (__builtin_mul_overflow(k, sequences.stride, &start))
            start = -1;
        if (start < 0 || start > sequences.size - length)
            return fail("%s: sequence %lld reaches outside the %lld bases", name, (long long)k,
                        (long long)sequences.size);
        return true;
    };
    if (!sequences.starts && !sequences.lengths) return check(0) && check(pairs - 1);
    for (int64_t k = 0; k < pairs; k++)
        if (!check(k)) return false;
    return true;
}

}  // namespace
}  // namespace gkl_shim::prefilter

using namespace gkl_shim;
using namespace gkl_shim::prefilter;

extern "C" gkl_shim_status gkl_shim_prefilter_open(const gkl_shim_prefilter_options *options,
                                                   gkl_shim_prefilter **handle) {
    const gkl_shim_prefilter_options defaults = {};
    if (!options) options = &defaults;
    if (!handle) return invalid("handle is null");
    *handle = nullptr;
    if (options->threads < 0) return invalid("threads is %d, less than 0", options->threads);
    if (options->method != GKL_SHIM_PREFILTER_EXACT &&
        options->method != GKL_SHIM_PREFILTER_GATEKEEPER)
        return invalid(
            "method is %d, not GKL_SHIM_PREFILTER_EXACT or GKL_SHIM_PREFILTER_GATEKEEPER",
            options->method);
    if (options->mode != GKL_SHIM_PREFILTER_GLOBAL && options->mode != GKL_SHIM_PREFILTER_INFIX &&
        options->mode != GKL_SHIM_PREFILTER_PREFIX)
        return invalid(
            "mode is %d, not GKL_SHIM_PREFILTER_GLOBAL, GKL_SHIM_PREFILTER_INFIX or "
            "GKL_SHIM_PREFILTER_PREFIX",
            options->mode);
    if (options->method == GKL_SHIM_PREFILTER_GATEKEEPER &&
        options->mode != GKL_SHIM_PREFILTER_GLOBAL)
        return invalid("GKL_SHIM_PREFILTER_GATEKEEPER has no mode but GKL_SHIM_PREFILTER_GLOBAL");
    if (options->max_edits < 0 || options->max_edits > GKL_SHIM_PREFILTER_MAX_EDITS)
        return invalid("max_edits is %d, not 0 to %d", options->max_edits,
                       int(GKL_SHIM_PREFILTER_MAX_EDITS));
    const CpuBuild *build = cpu_builds().find(options->build);
    if (!build) return GKL_SHIM_EUNAVAILABLE;
    return opened(handle, CpuSettings{build, allowed_threads(options->threads),
                                      options->method == GKL_SHIM_PREFILTER_GATEKEEPER,
                                      options->mode, options->max_edits});
}

extern "C" gkl_shim_status gkl_shim_prefilter_compute(const gkl_shim_prefilter *handle,
                                                      int64_t pairs,
                                                      const gkl_shim_prefilter_sequences *reads,
                                                      const gkl_shim_prefilter_sequences *segments,
                                                      int16_t *results) {
    if (!handle) return invalid("handle is null");
    if (!check_count("pairs", pairs)) return GKL_SHIM_EINVAL;
    if (pairs == 0) return GKL_SHIM_OK;
    if (!reads) return invalid("reads is null");
    if (!segments) return invalid("segments is null");
    if (!results) return invalid("results is null");
    const int32_t longest_segment = handle->settings.mode == kGlobal ? kMaxLength : kMaxSegment;
    if (!check_sequences("reads", *reads, pairs, kMaxLength) ||
        !check_sequences("segments", *segments, pairs, longest_segment))
        return GKL_SHIM_EINVAL;
    if (handle->settings.gatekeeper)
        for (int64_t k = 0; k < pairs; k++) {
            const int32_t read = length_of(*reads, k), segment = length_of(*segments, k);
            if (read != segment)
                return invalid(
                    "pair %lld: GateKeeper needs equal lengths; the read has %d, the segment %d",
                    (long long)k, read, segment);
        }
    return guarded([&] { compute_on_cpu(handle->settings, pairs, *reads, *segments, results); });
}

extern "C" void gkl_shim_prefilter_estimate(int64_t bases, int64_t bytes, int32_t max_edits,
                                            int32_t threads, gkl_shim_call_estimate *call) {
    const FloatingPointMode mode;
    // The work grows with the width of the band of the matrix that is computed.
    const double width = max_edits <= kNarrow ? 1 : double(max_edits) / kNarrow;
    *call = {bases, double(bases) * width / kCpuBases / allowed_threads(threads),
             kTripNanoseconds + double(bases) * width / kGpuBases + double(bytes) / kSentBytes};
}

extern "C" const char *gkl_shim_prefilter_build(const gkl_shim_prefilter *handle) {
    return handle ? handle->settings.build->name : "";
}

extern "C" void gkl_shim_prefilter_close(gkl_shim_prefilter *handle) { delete handle; }

extern "C" gkl_shim_status gkl_shim_prefilter_encode(const uint8_t *letters, int64_t count,
                                                     int32_t threads, uint32_t *low, uint32_t *high,
                                                     uint32_t *undefined, int32_t *any_undefined) {
    if (!check_count("count", count)) return GKL_SHIM_EINVAL;
    if (threads < 0) return invalid("threads is %d, less than 0", threads);
    if (!any_undefined) return invalid("any_undefined is null");
    *any_undefined = 0;
    if (count == 0) return GKL_SHIM_OK;
    if (!letters || !low || !high || !undefined) return invalid("an array is null");
    return guarded([&] {
        std::atomic<bool> any{false};
        parallel_for_ranges(
            count, kEncodedSlice, count / kEncodedPerNanosecond, allowed_threads(threads),
            [&](int64_t begin, int64_t end) {
                const int64_t word = begin / 32;
                if (cpu_builds().best().encode(letters + begin, end - begin, low + word,
                                               high + word, undefined + word))
                    any = true;
            });
        *any_undefined = any;
    });
}

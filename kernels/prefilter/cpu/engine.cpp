// The flow of the CPU engine. A slice of pairs is a task for one thread. It divides the slice into
// groups of pairs that share a band, so that they can be computed side by side.
#include "prefilter/cpu/engine.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "common/memory/scratch.h"
#include "common/per_thread.h"
#include "common/thread_pool.h"

namespace gkl_shim::prefilter {
namespace {

// Large enough to fill groups if lengths differ, small enough to give all threads work.
constexpr int kSliceBits = 13;
constexpr int64_t kSlice = int64_t(1) << kSliceBits;

// The throughput of one thread, about.
constexpr int64_t kBasesPerNanosecond = 3, kGateKeeperNanoseconds = 5;

// Larger buffers of a thread are freed after use.
constexpr size_t kKeptBytes = size_t(8) << 20;

struct ThreadMemory {
    Scratch workspace;
    std::vector<uint64_t> keys;
    std::vector<int32_t> order;
};
PerThread<ThreadMemory> thread_memory;

// A call's pairs and results.
struct Job {
    const CpuSettings &settings;
    const gkl_shim_prefilter_sequences &reads, &segments;
    int16_t *results;

    // A sort key for a pair. The upper bits select the kernel and the band; pairs that agree in
    // them may share a group. The lower bits sort by length, longest first. Pairs that the lengths
    // alone rule out come last.
    static constexpr int kShapeBits = 14, kLongestBits = 23;
    static constexpr uint64_t kImpossible = uint64_t(4) << kLongestBits;
    static_assert(kMaxSegment + kMaxLength < 1 << 15 && kMaxLength < 1 << kShapeBits, "");
    uint64_t shape(int32_t m, int32_t n) const {
        const Band band = band_of(settings.mode, m, n, settings.max_edits);
        if (!band.possible) return kImpossible << kShapeBits;
        uint64_t kernel = 0;
        while (band.width() > settings.build->exact[kernel].width) kernel++;
        // The lowest diagonal of a read shorter than max_edits depends on its length.
        const uint64_t below = settings.mode == kGlobal ? 0 : uint64_t(band.below);
        return (kernel << kLongestBits | below << 15 | uint64_t(n - m + kMaxLength)) << kShapeBits |
               uint64_t(kMaxLength - m);
    }

    // Computes pairs order[0] to order[count - 1], which share a band.
    void compute(uint64_t shared, int64_t first, const int32_t *order, int64_t count) {
        const CpuBuild &build = *settings.build;
        if (shared == kImpossible) {
            for (int64_t k = 0; k < count; k++) {
                const int64_t pair = first + order[k];
                results[pair] = int16_t(
                    build.undefined(reads, pair) || build.undefined(segments, pair) ? kUndefined
                                                                                    : kAbove);
            }
            return;
        }
        const LaneKernel &kernel = build.exact[shared >> kLongestBits];
        Scratch &workspace = thread_memory->workspace;
        for (int64_t k = 0; k < count; k += kernel.lanes) {
            const Group group = {&reads,
                                 &segments,
                                 first,
                                 order + k,
                                 int32_t(std::min<int64_t>(kernel.lanes, count - k)),
                                 settings.mode,
                                 settings.max_edits,
                                 results};
            kernel.compute(group, workspace.get(kernel.workspace(group)));
        }
    }

    void exact_slice(int64_t first, int64_t count) {
        ThreadMemory &memory = *thread_memory;
        std::vector<int32_t> &order = memory.order;
        order.resize(size_t(kSlice));
        if (!reads.lengths && !segments.lengths) {
            std::iota(order.begin(), order.begin() + count, 0);
            compute(shape(reads.length, segments.length) >> kShapeBits, first, order.data(), count);
        } else {
            const std::vector<uint64_t> &keys = sorted_keys(first, count);
            for (int64_t k = 0; k < count; k++)
                order[size_t(k)] = int32_t(keys[size_t(k)] & (kSlice - 1));
            for (int64_t k = 0, end; k < count; k = end) {
                const uint64_t shared = keys[size_t(k)] >> (kShapeBits + kSliceBits);
                for (end = k + 1; end < count; end++)
                    if (keys[size_t(end)] >> (kShapeBits + kSliceBits) != shared) break;
                compute(shared, first, &order[size_t(k)], end - k);
            }
        }
        memory.workspace.trim(kKeptBytes);
    }

    // The sort key of each pair of a slice, followed by its index in the slice, sorted.
    const std::vector<uint64_t> &sorted_keys(int64_t first, int64_t count) {
        std::vector<uint64_t> &keys = thread_memory->keys;
        keys.resize(size_t(kSlice));
        bool sorted = true;
        int32_t m = 0, n = 0;
        uint64_t common = 0, before = 0;
        for (int64_t k = 0; k < count; k++) {
            const int32_t read = length_of(reads, first + k);
            const int32_t segment = length_of(segments, first + k);
            if (read != m || segment != n) {
                m = read;
                n = segment;
                common = shape(m, n) << kSliceBits;
            }
            const uint64_t key = common | uint64_t(k);
            sorted &= before <= key;
            keys[size_t(k)] = before = key;
        }
        if (!sorted) std::sort(keys.begin(), keys.begin() + count);
        return keys;
    }

    void slice(int64_t first, int64_t end) {
        if (settings.gatekeeper) {
            for (int64_t k = first; k < end; k++)
                results[k] = settings.build->gatekeeper(reads, segments, k, settings.max_edits);
            return;
        }
        exact_slice(first, end - first);
    }
};

}  // namespace

const Builds<CpuBuild> &cpu_builds() {
    static const Builds<CpuBuild> builds(GKL_SHIM_COMPILED_BUILDS);
    return builds;
}

void compute_on_cpu(const CpuSettings &settings, int64_t pairs,
                    const gkl_shim_prefilter_sequences &reads,
                    const gkl_shim_prefilter_sequences &segments, int16_t *results) {
    Job job{settings, reads, segments, results};
    const int64_t bases = pairs * length_of(reads, 0);
    const int64_t nanoseconds =
        settings.gatekeeper ? bases * kGateKeeperNanoseconds : bases / kBasesPerNanosecond;
    parallel_for_ranges(pairs, kSlice, nanoseconds, settings.threads,
                        [&](int64_t first, int64_t end) { job.slice(first, end); });
}

}  // namespace gkl_shim::prefilter

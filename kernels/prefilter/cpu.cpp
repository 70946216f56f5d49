// The CPU engine's flow: chunks of pairs, each a task for one thread. A chunk's pairs are put into
// groups that share a band, so that they can be computed side by side.
#include "prefilter/cpu.h"

#include <algorithm>
#include <atomic>
#include <new>
#include <vector>

#include "common/cpu.h"
#include "common/scratch.h"
#include "common/thread_pool.h"

namespace gkl_shim {
namespace prefilter {
namespace {

// Enough to fill groups where lengths differ, little enough that all threads have work.
constexpr int kChunkBits = 13;
constexpr int64_t kChunk = int64_t(1) << kChunkBits;

// A thread's buffer over this size is given back after use.
constexpr size_t kKeptBytes = size_t(8) << 20;

struct ThreadMemory {
    Scratch workspace;
    std::vector<uint64_t> keys;
};
thread_local ThreadMemory thread_memory;

int32_t length_of(const gkl_shim_sequences &sequences, int64_t k) {
    return sequences.lengths ? sequences.lengths[k] : sequences.length;
}

SequenceView view(const gkl_shim_sequences &sequences, int64_t k) {
    const int64_t start = sequences.starts ? sequences.starts[k] : k * sequences.stride;
    return {sequences.letters ? sequences.letters + start : nullptr,
            sequences.low,
            sequences.high,
            sequences.undefined,
            start,
            sequences.size - start,
            length_of(sequences, k)};
}

struct Job {
    const CpuSettings &settings;
    int64_t pairs;
    const gkl_shim_sequences &reads, &segments;
    int16_t *results;
    std::atomic<bool> no_memory{false};

    // Pairs of one key's upper part go side by side; the lower parts sort them, the longest first,
    // and hold the pair's place in the chunk.
    uint64_t key(int64_t first, int64_t k) const {
        const int32_t m = length_of(reads, first + k), n = length_of(segments, first + k);
        const Band band = band_of(settings.mode, m, n, settings.max_edits);
        if (!band.possible) return UINT64_MAX;
        const CpuBuild &build = *settings.build;
        const int32_t width = band.width();
        const uint64_t kernel = width <= build.narrow.width  ? 0
                                : width <= build.wide.width  ? 1
                                : width <= build.wider.width ? 2
                                                             : 3;
        // A read shorter than max_edits has a lowest diagonal of its own.
        const uint64_t below = settings.mode == kGlobal ? 0 : uint64_t(band.below);
        return ((kernel << 8 | below) << 15 | uint64_t(n - m + kMaxLength)) << 27 |
               uint64_t(kMaxLength - m) << kChunkBits | uint64_t(k);
    }

    void exact_chunk(int64_t first, int64_t count) {
        ThreadMemory &memory = thread_memory;
        memory.keys.resize(size_t(count));
        bool sorted = true;
        const bool alike = !reads.lengths && !segments.lengths;
        for (int64_t k = 0; k < count; k++) {
            memory.keys[size_t(k)] = alike && k && memory.keys[0] != UINT64_MAX
                                         ? memory.keys[0] + uint64_t(k)
                                         : key(first, k);
            if (k && memory.keys[size_t(k)] < memory.keys[size_t(k) - 1]) sorted = false;
        }
        if (!sorted) std::sort(memory.keys.begin(), memory.keys.end());
        const CpuBuild &build = *settings.build;
        const LaneKernel *const kernel_of[] = {&build.narrow, &build.wide, &build.wider,
                                               &build.blocks};
        PairView views[kMaxLanes];
        for (int64_t k = 0; k < count;) {
            const uint64_t shared = memory.keys[size_t(k)] >> 27;
            if (memory.keys[size_t(k)] == UINT64_MAX) {
                k++;
                continue;
            }
            const LaneKernel &kernel = *kernel_of[shared >> 23];
            Group group = {views, 0, settings.mode, settings.max_edits, results + first};
            for (; k < count && group.count < kernel.lanes; k++) {
                const uint64_t found = memory.keys[size_t(k)];
                if (found >> 27 != shared) break;
                const int32_t order = int32_t(found & (kChunk - 1));
                views[group.count++] = {view(reads, first + order), view(segments, first + order),
                                        order};
            }
            kernel.compute(group, memory.workspace.get(kernel.workspace(group)));
        }
        memory.workspace.trim(kKeptBytes);
    }

    // Pairs whose lengths alone rule them out: above, unless a letter makes them undefined.
    void impossible(int64_t k) {
        uint32_t low[2], high[2], undefined[2];
        bool any = false;
        for (const gkl_shim_sequences *sequences : {&reads, &segments}) {
            const SequenceView sequence = view(*sequences, k);
            for (int32_t at = 0; at < sequence.length && !any; at += 64) {
                const int32_t count = std::min(sequence.length - at, 64);
                if (sequence.letters) {
                    undefined[0] = undefined[1] = 0;
                    settings.build->encode(sequence.letters + at, count, low, high, undefined);
                    any = undefined[0] | undefined[1];
                } else if (sequence.undefined) {
                    for (int64_t bit = sequence.start + at; bit < sequence.start + at + count; bit++)
                        any |= sequence.undefined[bit >> 5] >> (bit & 31) & 1;
                }
            }
        }
        results[k] = int16_t(any ? kUndefined : kAbove);
    }

    void chunk(int64_t index) {
        const int64_t first = index * kChunk, count = std::min(kChunk, pairs - first);
        if (settings.gatekeeper) {
            for (int64_t k = first; k < first + count; k++)
                settings.build->gatekeeper({view(reads, k), view(segments, k), 0},
                                           settings.max_edits, results + k);
            return;
        }
        try {
            exact_chunk(first, count);
        } catch (const std::bad_alloc &) {
            no_memory = true;
            return;
        }
        for (int64_t k = first; k < first + count; k++)
            if (!band_of(settings.mode, length_of(reads, k), length_of(segments, k),
                         settings.max_edits)
                     .possible)
                impossible(k);
    }
};

}  // namespace

const CpuBuild *const *cpu_builds() {
    static const CpuBuild *builds[4];
    static const bool listed = [] {
        const CpuBuild **next = builds;
#if defined(__x86_64__)
        if (cpu_has_avx512()) *next++ = &kAvx512Build;
        if (cpu_has_avx2()) *next++ = &kAvx2Build;
#elif defined(__aarch64__)
        *next++ = &kNeonBuild;
#endif
        *next++ = &kPortableBuild;
        return true;
    }();
    (void)listed;
    return builds;
}

void compute_on_cpu(const CpuSettings &settings, int64_t pairs, const gkl_shim_sequences &reads,
                    const gkl_shim_sequences &segments, int16_t *results) {
    Job job{settings, pairs, reads, segments, results};
    parallel_for(
        (pairs + kChunk - 1) / kChunk, settings.threads,
        [](void *context, int64_t index) { static_cast<Job *>(context)->chunk(index); }, &job);
    if (job.no_memory) throw std::bad_alloc();
}

}  // namespace prefilter
}  // namespace gkl_shim

#include "prefilter/cuda/sources/sequences.h"

#include <algorithm>
#include <atomic>

#include "common/thread_pool.h"

namespace gkl_shim::prefilter {

// Sequences are scattered if the buffer has this many bases for each base of theirs.
constexpr int64_t kScattered = 2;
// Sequences that one task looks at. A chunk holds about as many.
constexpr int64_t kSequencesOfTask = int64_t(1) << 18;

Bases bases_of(const Sequences &list, int64_t first, int64_t last) {
    if (first == last) return {0, 0};
    if (!list.starts && !list.lengths)
        return {first * list.stride, (last - 1) * list.stride + list.length};
    Bases bases = {INT64_MAX, 0};
    for (int64_t k = first; k < last; k++) {
        const int64_t start = start_of(list, k);
        bases.low = std::min(bases.low, start);
        bases.high = std::max(bases.high, start + length_of(list, k));
    }
    return bases;
}

bool is_scattered(const Sequences &list, int64_t first, int64_t last, int threads) {
    if (!list.starts || last - first < 2) return false;
    std::atomic<int64_t> spanned{0}, own{0};
    const int64_t count = last - first;
    parallel_for_ranges(count, kSequencesOfTask, count, threads, [&](int64_t begin, int64_t end) {
        int64_t bases = 0;
        for (int64_t k = first + begin; k < first + end; k++) bases += length_of(list, k);
        own += bases;
        spanned += bases_of(list, first + begin, first + end).count();
    });
    return spanned > kScattered * own && spanned > kScattered * list.size;
}

}  // namespace gkl_shim::prefilter

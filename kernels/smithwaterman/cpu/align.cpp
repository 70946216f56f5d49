#include "smithwaterman/cpu/align.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>

#include "common/memory/scratch.h"
#include "common/per_thread.h"
#include "smithwaterman/cpu/trace.h"

namespace gkl_shim::smithwaterman {
namespace {

// If a pair's flags take more memory than this, they are computed again, part by part, on the way
// back. That takes up to twice as long.
constexpr size_t kMaxFlagBytes = size_t(16) << 20;

// Larger buffers of a thread are freed after use.
constexpr size_t kKeptBytes = size_t(4) << 20;

PerThread<Scratch> thread_memory;

struct End {
    int64_t i, j;
    int64_t overhang;  // letters of the alternative after the end
};

// Where an alignment ends that need not end in the corner: in the column, in the lowest row among
// equal scores, or in the row if a score there is greater, or equal and nearer to the diagonal.
End find_end(const Kernel &kernel, const Group &group, int k, const void *state, const void *bottom,
             int32_t *scores) {
    const Pair &pair = group.pairs[k];
    const int32_t in_column = kernel.column(group, k, state, scores);
    int64_t i = pair.n;
    while (scores[i] != in_column) i--;
    const End end = {i, pair.m, 0};
    if (!bottom) return end;
    const int32_t in_row = kernel.row(group, k, bottom, scores);
    if (in_row < in_column) return end;
    // Among equal distances from the diagonal, the first column.
    for (int64_t distance = std::max<int64_t>(pair.n - pair.m, 0);; distance++) {
        if (in_row == in_column && distance >= llabs(i - pair.m)) return end;
        for (const int64_t j : {pair.n - distance, pair.n + distance})
            if (j >= 1 && j <= pair.m && scores[j] == in_row) return {pair.n, j, pair.m - j};
    }
}

// Writes what is left of the CIGAR in front of a path's start, and sets the result.
void finish(const Path &path, int32_t strategy, Result *result) {
    result->offset = 0;
    switch (strategy) {
        case GKL_SHIM_SMITHWATERMAN_SOFTCLIP:
            result->text = put(path.text, path.length, path.kind);
            if (path.j > 0) result->text = put(result->text, path.j, kClip);
            result->offset = path.i;
            break;
        case GKL_SHIM_SMITHWATERMAN_IGNORE:
            result->text = put(path.text, path.length + path.j, path.kind);
            result->offset = path.i - path.j;
            break;
        default:
            result->text = put(path.text, path.length, path.kind);
            if (path.i > 0)
                result->text = put(result->text, path.i, kDeletion);
            else if (path.j > 0)
                result->text = put(result->text, path.j, kInsertion);
    }
}

}  // namespace

void align(const Kernel &kernel, const Group &group, Result *results) {
    const int32_t strategy = group.pairs[0].parameters.overhang;
    const bool from_corner = strategy == GKL_SHIM_SMITHWATERMAN_INDEL;
    const bool from_row = !group.pairs[0].border_has_gaps();

    // Without enough memory for all flags, the state is kept every `part` steps.
    const int64_t steps = kernel.steps(group);
    const size_t flag_bytes = kernel.flag_bytes(group), state_bytes = kernel.state_bytes(group);
    int64_t part = steps;
    if (size_t(steps) > kMaxFlagBytes / flag_bytes)
        part = std::max<int64_t>(
            1, int64_t(sqrt(double(steps) * double(state_bytes) / double(flag_bytes))));
    const int64_t parts = (steps + part - 1) / part;

    const size_t input_bytes = kernel.input_bytes(group);
    const size_t bottom_bytes = rounded(kernel.bottom_bytes(group));
    const size_t score_bytes = rounded(size_t(std::max(group.n, group.m) + 1) * sizeof(int32_t));
    Scratch &scratch = *thread_memory;
    uint8_t *memory =
        static_cast<uint8_t *>(scratch.get(input_bytes + size_t(parts) * state_bytes +
                                           bottom_bytes + score_bytes + size_t(part) * flag_bytes));
    void *const input = memory;
    memory += input_bytes;
    uint8_t *const state = memory;
    uint8_t *const kept = state + state_bytes;  // before each part but the first
    memory += size_t(parts) * state_bytes;
    void *const bottom = memory;
    memory += bottom_bytes;
    int32_t *const scores = reinterpret_cast<int32_t *>(memory);
    uint8_t *const flags = memory + score_bytes;

    kernel.begin(group, input, state);
    for (int64_t k = 0; k < parts; k++) {
        if (k > 0) memcpy(kept + size_t(k - 1) * state_bytes, state, state_bytes);
        kernel.run(group, input, state, k * part, std::min(steps, (k + 1) * part),
                   k == parts - 1 ? flags : nullptr, from_row ? bottom : nullptr);
    }

    Path paths[kMaxPairs];
    for (int k = 0; k < group.count; k++) {
        const Pair &pair = group.pairs[k];
        End end = {pair.n, pair.m, 0};
        if (!from_corner)
            end = find_end(kernel, group, k, state, from_row ? bottom : nullptr, scores);
        paths[k] = {end.i, end.j, 0, kMatch, 0, results[k].text};
        if (strategy != GKL_SHIM_SMITHWATERMAN_SOFTCLIP)
            paths[k].length = end.overhang;
        else if (end.overhang > 0)
            paths[k].text = put(paths[k].text, end.overhang, kClip);
    }
    for (int64_t part_index = parts - 1;; part_index--) {
        for (int k = 0; k < group.count; k++)
            kernel.trace(group, k, flags, part_index * part, &paths[k]);
        if (part_index == 0) break;
        if (part_index == 1)
            kernel.begin(group, input, state);
        else
            memcpy(state, kept + size_t(part_index - 2) * state_bytes, state_bytes);
        kernel.run(group, input, state, (part_index - 1) * part, part_index * part, flags, nullptr);
    }
    scratch.trim(kKeptBytes);
    for (int k = 0; k < group.count; k++) finish(paths[k], strategy, &results[k]);
}

}  // namespace gkl_shim::smithwaterman

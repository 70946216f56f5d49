// The flow of the CPU engine. Each pair is a task for one thread.
#include "smithwaterman/cpu/engine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <limits>

#include "common/per_thread.h"
#include "common/scratch.h"
#include "common/thread_pool.h"
#include "smithwaterman/cpu/trace.h"

namespace gkl_shim {
namespace smithwaterman {
namespace {

// The throughput of one thread, about.
constexpr int64_t kCellsPerNanosecond = 4;

// If a pair's flags take more memory than this, they are computed again, part by part, on the way
// back. That takes up to twice as long.
constexpr size_t kMostFlagBytes = size_t(16) << 20;

// Larger buffers of a thread are freed after use.
constexpr size_t kKeptBytes = size_t(4) << 20;

PerThread<Scratch> thread_memory;

// Whether lanes of type Lane give Java's results for a pair. kernel.inc defines u, v, e, f and z.
//
// gap_open must not be above gap_extend, nor gap_extend above 0. Let `best` be the higher of match
// and mismatch. H(i,j) is at least H(i-1,j) + gap_open, and so is the border, so u and v are at
// least gap_open. E(i,j) is at most H(i,j-1), and F(i,j) at most H(i-1,j). It follows that u, v, e,
// f and z are at most max(best - gap_open, 0), and that e and f are at least 2 gap_open. A gap from
// the border leads to every cell, so H is above 4 gap_open + gap_extend * (n + m). It is at most
// best * min(n, m). So Java's integers neither wrap around nor reach kLowest.
template <class Lane>
bool fits(const Pair &pair) {
    typedef std::numeric_limits<Lane> Limits;
    const gkl_shim_smithwaterman_parameters &p = pair.parameters;
    constexpr int64_t kBillion = 1000000000;
    if (p.gap_open > p.gap_extend || p.gap_extend > 0) return false;
    if (std::min(p.match, p.mismatch) < -kBillion) return false;
    const int64_t gap = p.gap_open, extend = p.gap_extend;
    const int64_t best = std::max(p.match, p.mismatch);
    const int64_t most = std::max<int64_t>(best - gap, 0) - 2 * extend;
    const int64_t least = 2 * gap - 1 - 2 * extend;
    return most <= Limits::max() && least + gap - extend >= Limits::min() &&
           4 * gap + extend * (pair.n + pair.m) > kLowest &&
           best * std::min(pair.n, pair.m) < kBillion;
}

// Where the last occurrence of the alternative in the reference starts; -1 if there is none.
int64_t last_index_of(const Pair &pair) {
    for (int64_t k = pair.n - pair.m; k >= 0; k--)
        if (pair.reference[k] == pair.alternative[0] &&
            memcmp(pair.reference + k, pair.alternative, size_t(pair.m)) == 0)
            return k;
    return -1;
}

struct End {
    int64_t i, j;
    int64_t overhang;  // letters of the alternative after the end
};

// row[j] is H(n,j), column[i] is H(i,m).
End find_end(const Pair &pair, const int32_t *row, const int32_t *column) {
    End end = {1, pair.m, 0};
    int32_t best = column[1];
    for (int64_t i = 2; i <= pair.n; i++)
        if (column[i] >= best) {
            best = column[i];
            end.i = i;
        }
    if (!row) return end;
    for (int64_t j = 1; j <= pair.m; j++)
        if (row[j] > best || (row[j] == best && llabs(pair.n - j) < llabs(end.i - end.j))) {
            best = row[j];
            end = {pair.n, j, pair.m - j};
        }
    return end;
}

// Computes the matrix, finds the end and follows the path back.
Path computed_path(const Kernel &kernel, const Pair &pair, char *text, int64_t *overhang) {
    const int32_t strategy = pair.parameters.overhang;
    const bool from_corner = strategy == GKL_SHIM_SMITHWATERMAN_INDEL;
    const bool from_row = !from_corner && strategy != GKL_SHIM_SMITHWATERMAN_LEADING_INDEL;

    // Without enough memory for all flags, the state is kept every `part` steps.
    const int64_t steps = kernel.steps(pair);
    const size_t flag_bytes = kernel.flag_bytes(pair), state_bytes = kernel.state_bytes(pair);
    int64_t part = steps;
    if (size_t(steps) > kMostFlagBytes / flag_bytes)
        part = std::max<int64_t>(
            1, int64_t(sqrt(double(steps) * double(state_bytes) / double(flag_bytes))));
    const int64_t parts = (steps + part - 1) / part;

    const size_t input_bytes = kernel.input_bytes(pair);
    const size_t edge = size_t(std::max(pair.n, pair.m) + 1) * sizeof(int32_t);
    const size_t edge_bytes = (edge + 63) & ~size_t(63);
    Scratch &scratch = *thread_memory;
    uint8_t *memory = static_cast<uint8_t *>(scratch.get(
        input_bytes + size_t(parts) * state_bytes + 2 * edge_bytes + size_t(part) * flag_bytes));
    void *const input = memory;
    memory += input_bytes;
    uint8_t *const state = memory;
    uint8_t *const kept = state + state_bytes;  // before each part but the first
    memory += size_t(parts) * state_bytes;
    int32_t *const row = reinterpret_cast<int32_t *>(memory);
    int32_t *const column = reinterpret_cast<int32_t *>(memory + edge_bytes);
    uint8_t *const flags = memory + 2 * edge_bytes;

    kernel.begin(pair, input, state);
    row[0] = border(pair, pair.n);
    for (int64_t k = 0; k < parts; k++) {
        if (k > 0) memcpy(kept + size_t(k - 1) * state_bytes, state, state_bytes);
        kernel.run(pair, input, state, k * part, std::min(steps, (k + 1) * part),
                   k == parts - 1 ? flags : nullptr, from_row ? row : nullptr);
    }
    End end = {pair.n, pair.m, 0};
    if (!from_corner) {
        kernel.column(pair, state, column);
        end = find_end(pair, from_row ? row : nullptr, column);
    }

    Path path = {end.i, end.j, 0, kMatch, 0, text};
    *overhang = end.overhang;
    if (strategy == GKL_SHIM_SMITHWATERMAN_SOFTCLIP) {
        if (end.overhang > 0) path.text = put(path.text, end.overhang, kClip);
    } else {
        path.length = end.overhang;
    }
    for (int64_t k = parts - 1;; k--) {
        kernel.trace(pair, flags, k * part, &path);
        if (k == 0) break;
        if (k == 1)
            kernel.begin(pair, input, state);
        else
            memcpy(state, kept + size_t(k - 2) * state_bytes, state_bytes);
        kernel.run(pair, input, state, (k - 1) * part, k * part, flags, nullptr);
    }
    scratch.trim(kKeptBytes);
    return path;
}

// Returns the alignment's offset. The CIGAR is written in front of *text, which becomes its start.
int64_t align(const CpuBuild &build, const Pair &pair, char **text) {
    const int32_t strategy = pair.parameters.overhang;
    if (strategy == GKL_SHIM_SMITHWATERMAN_SOFTCLIP || strategy == GKL_SHIM_SMITHWATERMAN_IGNORE) {
        const int64_t found = last_index_of(pair);
        if (found >= 0) {
            *text = put(*text, pair.m, kMatch);
            return found;
        }
    }
    int64_t overhang = 0;
    const Kernel &kernel = fits<int8_t>(pair)    ? build.narrow
                           : fits<int16_t>(pair) ? build.wide
                                                 : kExactKernel;
    const Path path = computed_path(kernel, pair, *text, &overhang);
    *text = path.text;
    switch (strategy) {
        case GKL_SHIM_SMITHWATERMAN_SOFTCLIP:
            *text = put(*text, path.length, path.kind);
            if (path.j > 0) *text = put(*text, path.j, kClip);
            return path.i;
        case GKL_SHIM_SMITHWATERMAN_IGNORE:
            *text = put(*text, path.length + path.j, path.kind);
            return path.i - path.j;
        default:
            *text = put(*text, path.length, path.kind);
            if (path.i > 0)
                *text = put(*text, path.i, kDeletion);
            else if (path.j > 0)
                *text = put(*text, path.j, kInsertion);
            return 0;
    }
}

struct Job {
    const CpuSettings &settings;
    const gkl_shim_smithwaterman_batch &batch;
    const gkl_shim_smithwaterman_parameters &parameters;
    int64_t *offsets, *cigar_offsets;
    char *cigars;

    // Pair k's part of `cigars`, which no other pair's text can reach.
    int64_t room(int64_t k) const {
        return 2 * (batch.reference_offsets[k] + batch.alternative_offsets[k]);
    }

    // The CIGAR is left at the end of its room, with its length in cigar_offsets[k + 1].
    void pair(int64_t k) const {
        const int64_t reference = batch.reference_offsets[k];
        const int64_t alternative = batch.alternative_offsets[k];
        const Pair pair = {batch.references + reference, batch.alternatives + alternative,
                           batch.reference_offsets[k + 1] - reference,
                           batch.alternative_offsets[k + 1] - alternative, parameters};
        char *const end = cigars + room(k + 1), *text = end;
        offsets[k] = align(*settings.build, pair, &text);
        cigar_offsets[k + 1] = end - text;
    }

    // Moves the CIGARs together.
    void pack() const {
        cigar_offsets[0] = 0;
        for (int64_t k = 0; k < batch.pairs; k++) {
            const int64_t length = cigar_offsets[k + 1];
            memmove(cigars + cigar_offsets[k], cigars + room(k + 1) - length, size_t(length));
            cigar_offsets[k + 1] = cigar_offsets[k] + length;
        }
    }
};

}  // namespace

const Builds<CpuBuild> &cpu_builds() {
    static const Builds<CpuBuild> builds(GKL_SHIM_COMPILED_BUILDS);
    return builds;
}

void align_on_cpu(const CpuSettings &settings, const gkl_shim_smithwaterman_batch &batch,
                  const gkl_shim_smithwaterman_parameters &parameters, int64_t *offsets,
                  int64_t *cigar_offsets, char *cigars) {
    Job job = {settings, batch, parameters, offsets, cigar_offsets, cigars};
    int64_t cells = 0;
    for (int64_t k = 0; k < batch.pairs; k++)
        cells += (batch.reference_offsets[k + 1] - batch.reference_offsets[k]) *
                 (batch.alternative_offsets[k + 1] - batch.alternative_offsets[k]);
    parallel_for(
        batch.pairs, cells / kCellsPerNanosecond, settings.threads,
        [](void *context, int64_t k) { static_cast<const Job *>(context)->pair(k); }, &job);
    job.pack();
}

}  // namespace smithwaterman
}  // namespace gkl_shim

// Java's arithmetic, one cell at a time. A group is one pair, a step is a row.
#include <string.h>

#include "smithwaterman/cpu/trace.h"

namespace gkl_shim::smithwaterman {
namespace {

int64_t steps(const Group &group) { return group.n; }
size_t input_bytes(const Group &) { return 0; }
size_t flag_bytes(const Group &group) { return size_t(group.m + 1) / 2; }
size_t bottom_bytes(const Group &group) { return size_t(group.m + 1) * sizeof(int32_t); }

// H and F of the last row. The matrix's column m is kept in the state too, because no row is.
struct State {
    int32_t *h, *f, *last;
    State(const Pair &pair, void *memory)
        : h(static_cast<int32_t *>(memory)), f(h + pair.m + 1), last(f + pair.m + 1) {}
};
size_t state_bytes(const Group &group) {
    return rounded(size_t(2 * (group.m + 1) + group.n + 1) * sizeof(int32_t));
}

void begin(const Group &group, void *, void *memory) {
    const Pair &pair = group.pairs[0];
    const State state(pair, memory);
    state.h[0] = 0;
    for (int64_t j = 1; j <= pair.m; j++) {
        state.h[j] = border(pair, j);
        state.f[j] = kNoGap;
    }
}

void run(const Group &group, const void *, void *memory, int64_t first, int64_t last,
         uint8_t *flags, void *bottom) {
    const Pair &pair = group.pairs[0];
    const State state(pair, memory);
    const gkl_shim_smithwaterman_parameters &p = pair.parameters;
    const auto greater = [](int32_t a, int32_t b) { return a > b ? a : b; };
    for (int64_t i = first + 1; i <= last; i++) {
        int32_t diagonal = state.h[0], left = border(pair, i);
        int32_t e = greater(add(left, p.gap_open), add(kNoGap, p.gap_extend));
        state.h[0] = left;
        for (int64_t j = 1; j <= pair.m; j++) {
            const int32_t up = state.h[j];
            const int32_t f = greater(add(up, p.gap_open), add(state.f[j], p.gap_extend));
            const int32_t s = add(
                diagonal, pair.reference[i - 1] == pair.alternative[j - 1] ? p.match : p.mismatch);
            const int32_t gap = greater(e, f);
            left = greater(kLowest, greater(s, gap));
            const int32_t opened = add(left, p.gap_open);
            const int32_t extended_e = add(e, p.gap_extend), extended_f = add(f, p.gap_extend);
            if (flags) {
                const unsigned bits = kNotDiagonal * (gap > s) | kDown * (f > e) |
                                      kOpensE * (opened > extended_e) |
                                      kOpensF * (opened > extended_f);
                uint8_t *const byte = flags + (j - 1) / 2;
                *byte = uint8_t(j & 1 ? bits : *byte | bits << 4);
            }
            diagonal = up;
            state.h[j] = left;
            state.f[j] = f;
            e = greater(opened, extended_e);
        }
        state.last[i] = left;
        if (flags) flags += flag_bytes(group);
    }
    if (bottom && last == pair.n) memcpy(bottom, state.h, bottom_bytes(group));
}

int32_t greatest(const int32_t *scores, int64_t count) {
    int32_t best = scores[1];
    for (int64_t k = 2; k <= count; k++) best = best > scores[k] ? best : scores[k];
    return best;
}

int32_t column(const Group &group, int, const void *memory, int32_t *column) {
    const Pair &pair = group.pairs[0];
    const State state(pair, const_cast<void *>(memory));
    memcpy(column + 1, state.last + 1, size_t(pair.n) * sizeof *column);
    return greatest(column, pair.n);
}

int32_t row(const Group &group, int, const void *bottom, int32_t *row) {
    memcpy(row, bottom, bottom_bytes(group));
    return greatest(row, group.m);
}

struct Cell {
    const uint8_t *all;
    size_t row_bytes;
    int64_t i, j;  // counted from 0, i from the first row with flags

    bool has_flags() const { return i >= 0; }
    unsigned flags() const {
        return all[size_t(i) * row_bytes + size_t(j / 2)] >> (j & 1 ? 4 : 0) & 15;
    }
    void left() { j--; }
    void up() { i--; }
    int64_t diagonal(int64_t most) {
        int64_t count = 0;
        for (; count < most && has_flags() && !(flags() & kNotDiagonal); count++, i--, j--) {
        }
        return count;
    }
};

void trace(const Group &group, int, const uint8_t *flags, int64_t first, Path *path) {
    follow(Cell{flags, flag_bytes(group), path->i - 1 - first, path->j - 1}, path);
}

}  // namespace

const Kernel kExactKernel = {1,     steps, input_bytes, state_bytes, flag_bytes, bottom_bytes,
                             begin, run,   column,      row,         trace};

}  // namespace gkl_shim::smithwaterman

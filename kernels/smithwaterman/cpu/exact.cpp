// Java's arithmetic, one cell at a time. A step is a row.
#include <string.h>

#include "smithwaterman/cpu/trace.h"

namespace gkl_shim {
namespace smithwaterman {
namespace {

size_t rounded(size_t bytes) { return (bytes + 63) & ~size_t(63); }

int64_t steps(const Pair &pair) { return pair.n; }
size_t input_bytes(const Pair &) { return 0; }
size_t flag_bytes(const Pair &pair) { return size_t(pair.m + 1) / 2; }

// H and F of the last row. The matrix's column m is kept in the state too, because no row is.
struct State {
    int32_t *h, *f, *last;
    State(const Pair &pair, void *memory)
        : h(static_cast<int32_t *>(memory)), f(h + pair.m + 1), last(f + pair.m + 1) {}
};
size_t state_bytes(const Pair &pair) {
    return rounded(size_t(2 * (pair.m + 1) + pair.n + 1) * sizeof(int32_t));
}

void begin(const Pair &pair, void *, void *memory) {
    const State state(pair, memory);
    state.h[0] = 0;
    for (int64_t j = 1; j <= pair.m; j++) {
        state.h[j] = border(pair, j);
        state.f[j] = kNoGap;
    }
}

void run(const Pair &pair, const void *, void *memory, int64_t first, int64_t last, uint8_t *flags,
         int32_t *row) {
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
        if (flags) flags += flag_bytes(pair);
    }
    if (row && last == pair.n) memcpy(row, state.h, size_t(pair.m + 1) * sizeof *row);
}

void column(const Pair &pair, const void *memory, int32_t *column) {
    const State state(pair, const_cast<void *>(memory));
    memcpy(column + 1, state.last + 1, size_t(pair.n) * sizeof *column);
}

struct Cell {
    const uint8_t *all;
    size_t row_bytes;
    int64_t i, j;  // counted from 0, i from the first row with flags

    bool here() const { return i >= 0; }
    unsigned flags() const {
        return all[size_t(i) * row_bytes + size_t(j / 2)] >> (j & 1 ? 4 : 0) & 15;
    }
    bool is_not_diagonal() const { return flags() & kNotDiagonal; }
    void left() { j--; }
    void up() { i--; }
};

void trace(const Pair &pair, const uint8_t *flags, int64_t first, Path *path) {
    follow(Cell{flags, flag_bytes(pair), path->i - 1 - first, path->j - 1}, path);
}

}  // namespace

const Kernel kExactKernel = {steps, input_bytes, state_bytes, flag_bytes,
                             begin, run,         column,      trace};

}  // namespace smithwaterman
}  // namespace gkl_shim

// The pre-alignment filters: their constants and their arithmetic, used by every engine.
//
// A sequence is two bit planes, `low` and `high`: bit k % 32 of word k / 32 belongs to base k. The
// code of a letter is (low, high) = bits 1 and 2 of its ASCII byte, in either case: A 00, C 10, T
// 01, G 11.
//
// exact: the edit distance of a read (m rows) and a segment (n columns), by the bit-vectors of
// Myers (1999) over a band of diagonals (Hyyro 2003). In column j, bit b of a word is row j + b -
// above. The word moves down one row each column, so that a diagonal keeps its bit. vp and vn mark
// vertical differences of +1 and -1; d0 marks where the distance does not grow along the diagonal.
// Paths outside the band count as too expensive, so no distance within it is too small, and the
// band holds every path of at most max_edits. Rows above the first are treated as real ones.
// Nothing matches in them, so that their distance is the column. In infix mode, where the read may
// start anywhere in the segment, everything matches in them, so that their distance is 0.
//
// Bits beyond the band's lower edge are rows like any other, so a word may be wider than the band.
// Rows beyond the read's last one do not influence the rows above them.
//
// gatekeeper: GateKeeper-GPU (Bingol et al., IEEE TC 2024, arXiv:2103.14978) as the authors'
// program computes it. The program differs from the paper in three places. Of the bits that a shift
// by i vacates, only the i-th is set, and at the trailing end it is counted from the end of the
// last 32-base word, not of the read. A single zero between two ones is not filled across a word
// boundary. Such a zero at a word's second base is filled only if the fourth base is one.
#pragma once

#include "common/device.h"
#include "common/integers.h"

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

namespace gkl_shim::prefilter {

enum Mode { kGlobal = 0, kInfix = 1, kPrefix = 2 };

// Results that are not distances.
enum { kAbove = -1, kUndefined = -2 };

// The CUDA engine leaves this pair to the next kernel. No caller sees this value.
enum { kTooWide = -3 };

GKL_SHIM_DEVICE int32_t least(int32_t a, int32_t b) { return a < b ? a : b; }
GKL_SHIM_DEVICE int32_t most(int32_t a, int32_t b) { return a > b ? a : b; }

// The diagonals (column minus row) that a path of at most max_edits can touch. A path that strays x
// diagonals beyond its ends pays for x in both directions.
struct Band {
    int32_t above;  // the highest diagonal
    int32_t below;  // the lowest diagonal, negated
    bool possible;  // false if the lengths alone rule the pair out

    GKL_SHIM_METHOD int32_t width() const { return above + below + 1; }
};

GKL_SHIM_DEVICE Band band_of(int32_t mode, int32_t m, int32_t n, int32_t max_edits) {
    const int32_t longer = n - m;
    Band band;
    if (mode == kGlobal) {
        const int32_t edits = least(max_edits, most(m, n));
        const int32_t needed = longer < 0 ? -longer : longer;
        const int32_t spare = (edits - needed) / 2;
        band.above = most(longer, 0) + spare;
        band.below = most(-longer, 0) + spare;
        band.possible = needed <= edits;
    } else {
        const int32_t edits = least(max_edits, m);
        band.below = edits;
        band.above = mode == kInfix ? longer + edits : (edits + least(edits, longer)) / 2;
        band.possible = longer + edits >= 0;
    }
    return band;
}

// One column of one word. In bands of several words the carry goes to the next word, whose d0 comes
// back.
template <class V>
struct Column {
    V d0, hp, hn;
};

// d0, given the sum (match & vp) + vp and the carry of the word before.
template <class V>
GKL_SHIM_DEVICE V diagonal_zeros(V sum, V match, V vp, V vn) {
    return (sum ^ vp) | (match | vn);
}

// a | ~(b | c) as one operation; compilers make three of it.
template <class V>
GKL_SHIM_DEVICE V or_neither(V a, V b, V c) {
#if defined(__AVX512F__)
    enum { kOrNeither = 0xf1 };
    if constexpr (sizeof(V) == 64)
        return V(_mm512_ternarylogic_epi64(__m512i(a), __m512i(b), __m512i(c), kOrNeither));
    else
#endif
        return a | ~(b | c);
}

// The vertical differences of the next column. `shifted` is d0 shifted down by one row.
template <class V>
GKL_SHIM_DEVICE Column<V> advance(V d0, V shifted, V &vp, V &vn) {
    Column<V> column;
    column.d0 = d0;
    column.hp = or_neither(vn, d0, vp);
    column.hn = d0 & vp;
    vp = or_neither(column.hn, shifted, column.hp);
    vn = shifted & column.hp;
    return column;
}

// The same for a band that fits one word.
template <class V>
GKL_SHIM_DEVICE Column<V> advance(V match, V &vp, V &vn) {
    const V d0 = diagonal_zeros(V((match & vp) + vp), match, vp, vn);
    return advance(d0, V(d0 >> 1), vp, vn);
}

// ---- GateKeeper ---------------------------------------------------------------------------------

// Fills runs of one or two zeros between ones within a word of 32 bases.
GKL_SHIM_DEVICE uint32_t filled(uint32_t mask) {
    const uint32_t single = (mask << 1) & (mask >> 1) & ~2u;
    const uint32_t pair = (mask << 1) & (mask >> 2);
    mask |= single | pair | (pair << 1);
    if ((mask & 13) == 13) mask |= 2;
    return mask;
}

// Fills such runs across the boundaries to the words before and after. All three words are filled
// already.
GKL_SHIM_DEVICE uint32_t filled_across(uint32_t before, uint32_t mask, uint32_t after) {
    const uint32_t own = mask;
    if ((before >> 29 & 1) && (own & 1)) before |= 3u << 30;
    if ((before >> 30 & 1) && (own & 2)) {
        mask |= 1;
        before |= 1u << 31;
    }
    if ((before >> 31) && (own & 4)) mask |= 3;
    if ((own >> 29 & 1) && (after & 1)) mask |= 3u << 30;
    if ((mask >> 30 & 1) && (after & 2)) mask |= 1u << 31;
    return mask;
}

// 32 bases of a plane, starting at base `at`, which may be negative. Words outside [0, words) are
// zero.
GKL_SHIM_DEVICE uint32_t bits_at(const uint32_t *plane, int32_t words, int32_t at) {
    const int32_t word = at >> 5, shift = at & 31;
    const uint32_t a = word >= 0 && word < words ? plane[word] : 0;
    const uint32_t b = word >= -1 && word + 1 < words ? plane[word + 1] : 0;
    return shift ? a >> shift | b << (32 - shift) : a;
}

// Two sequences of the same length. Their planes are zero beyond it.
struct GateKeeperPair {
    const uint32_t *read_low, *read_high, *segment_low, *segment_high;
    int32_t length;

    GKL_SHIM_METHOD int32_t words() const { return (length + 31) / 32; }

    // Where the read, shifted right by `shift` bases, differs from the segment. The program holds
    // bases in words of 16, so bases shifted beyond the last of these words are lost.
    GKL_SHIM_METHOD uint32_t differences(int32_t word, int32_t shift) const {
        const int32_t count = words();
        if (word < 0 || word >= count) return 0;
        const uint32_t low = bits_at(read_low, count, 32 * word - shift);
        const uint32_t high = bits_at(read_high, count, 32 * word - shift);
        uint32_t mask = (low ^ segment_low[word]) | (high ^ segment_high[word]);
        if (32 * word + 16 >= length) mask &= 0xffff;
        return mask;
    }

    GKL_SHIM_METHOD uint32_t amended(int32_t word, int32_t shift) const {
        return filled_across(filled(differences(word - 1, shift)), filled(differences(word, shift)),
                             filled(differences(word + 1, shift)));
    }
};

GKL_SHIM_DEVICE int32_t count_ones(uint32_t x) {
#if defined(__CUDACC_RTC__)
    return __popc(x);
#else
    return __builtin_popcount(x);
#endif
}

// The estimated number of edits, or kAbove.
GKL_SHIM_DEVICE int32_t gatekeeper(const GateKeeperPair &pair, int32_t max_edits) {
    const int32_t words = pair.words();
    int32_t edits = 0;
    for (int32_t word = 0; word < words; word++) edits += count_ones(pair.differences(word, 0));
    if (edits <= max_edits) return edits;
    if (max_edits == 0) return kAbove;
    edits = 0;
    for (int32_t word = 0; word < words; word++) {
        uint32_t mask = pair.amended(word, 0);
        for (int32_t shift = 1; shift <= max_edits && mask; shift++) {
            uint32_t deletion = pair.amended(word, shift);
            uint32_t insertion = pair.amended(word, -shift);
            if (word == 0 && shift <= 32) deletion |= 1u << (shift - 1);
            if (word == words - 1 && shift <= 32) insertion |= 1u << (32 - shift);
            mask &= deletion & insertion;
        }
        for (; mask; mask >>= 4) {
            // Bit w of the constant says whether window w counts twice.
            edits += (mask & 15) != 0;
            edits += 0x2e60u >> (mask & 15) & 1;
        }
    }
    return edits <= max_edits ? edits : int32_t(kAbove);
}

}  // namespace gkl_shim::prefilter

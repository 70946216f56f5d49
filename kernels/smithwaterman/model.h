// The facts of the method. GATK's class SmithWatermanJavaAligner specifies the results: for every
// pair, the offset and the CIGAR are the same as Java's.
//
// Row i is reference letter i, column j is alternative letter j, both counted from 1. H(i,j) is the
// best score of an alignment that ends in the cell (i,j):
//
//     E(i,j) = max(H(i,j-1) + gap_open, E(i,j-1) + gap_extend)    a gap in the reference (I)
//     F(i,j) = max(H(i-1,j) + gap_open, F(i-1,j) + gap_extend)    a gap in the alternative (D)
//     H(i,j) = max(H(i-1,j-1) + s, E(i,j), F(i,j))                s: match if the bytes are equal,
//                                                                 otherwise mismatch
//
// The first letter of a gap costs gap_open, each further letter gap_extend. Bytes are compared as
// they are: N matches N, and a does not match A.
//
// Ties. H prefers the diagonal, then E, then F. E and F prefer to extend.
//
// The border, row 0 and column 0, is 0, or a gap from the corner for INDEL and LEADING_INDEL.
//
// The end. INDEL ends in the corner (n,m). The others end in the last column, in the lowest row
// among equal scores. SOFTCLIP and IGNORE end in the last row instead if a cell there has a higher
// score, or the same score and a smaller distance from the diagonal than the best cell so far.
//
// Java also answers an exact substring for SOFTCLIP and IGNORE before it computes anything: the
// last occurrence of the alternative in the reference.
#pragma once

#include "gkl_shim.h"

namespace gkl_shim::smithwaterman {

// Java's scores are 32-bit integers that wrap around. H never falls below kLowest, and E and F
// start at kNoGap. With ordinary parameters, neither has an effect.
constexpr int32_t kLowest = -100000000;
constexpr int32_t kNoGap = INT32_MIN / 2;

struct Pair {
    const uint8_t *reference, *alternative;
    int64_t n, m;  // their lengths, at least 1
    gkl_shim_smithwaterman_parameters parameters;

    bool border_has_gaps() const {
        return parameters.overhang == GKL_SHIM_SMITHWATERMAN_INDEL ||
               parameters.overhang == GKL_SHIM_SMITHWATERMAN_LEADING_INDEL;
    }
};

// a + b as Java adds, which wraps around.
static inline int32_t add(int32_t a, int32_t b) { return int32_t(uint32_t(a) + uint32_t(b)); }

// H(k,0) and H(0,k), for k of at least 1.
static inline int32_t border(const Pair &pair, int64_t k) {
    if (!pair.border_has_gaps()) return 0;
    return int32_t(uint32_t(pair.parameters.gap_open) +
                   uint32_t(k - 1) * uint32_t(pair.parameters.gap_extend));
}

}  // namespace gkl_shim::smithwaterman

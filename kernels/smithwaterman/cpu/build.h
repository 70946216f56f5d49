// What a kernel offers to engine.cpp: a struct of functions. kernel.inc is compiled to two for each
// instruction set; exact.cpp has another.
//
// A kernel computes the matrix in steps. Its state between two steps is a block of memory, so a
// step can be computed again. It keeps the decisions of each cell for the trace back as flags.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "smithwaterman/model.h"

namespace gkl_shim::smithwaterman {

enum : char { kMatch = 'M', kInsertion = 'I', kDeletion = 'D', kClip = 'S' };

// The way back from the end of the alignment. The CIGAR is written backwards, last element first.
struct Path {
    int64_t i, j;    // the cell
    char gap;        // the cell was reached within a gap of this kind that goes on; 0 if not
    char kind;       // of the element that is not complete yet
    int64_t length;  // of that element
    char *text;      // the CIGAR's text so far
};

// Pairs with the same scores and strategy that are computed together.
struct Group {
    const Pair *pairs;
    int count;
    int64_t n, m;   // the greatest lengths
    int64_t min_m;  // not kMaxDifference or more below m

    void add(int64_t pair_n, int64_t pair_m) {
        n = n > pair_n ? n : pair_n;
        min_m = count == 0 || pair_m < min_m ? pair_m : min_m;
        m = m > pair_m ? m : pair_m;
        count++;
    }
};
enum { kMaxPairs = 64, kMaxDifference = 64 };

// The letter that stands for none in lanes of 8 bits. Alternatives must not have it there.
enum : uint8_t { kNoLetter = 255 };

// Bytes, rounded up to a multiple of 64.
static inline size_t rounded(size_t bytes) { return (bytes + 63) & ~size_t(63); }

struct Kernel {
    int lanes;  // The most pairs of a group
    int64_t (*steps)(const Group &group);
    // Bytes. Those of input and state are multiples of 64.
    size_t (*input_bytes)(const Group &group);
    size_t (*state_bytes)(const Group &group);
    size_t (*flag_bytes)(const Group &group);    // of one step
    size_t (*bottom_bytes)(const Group &group);  // of all steps
    // Prepares the letters, and the state before step 0.
    void (*begin)(const Group &group, void *input, void *state);
    // Computes steps [first, last). `flags` receives theirs, and `bottom` the matrices' last rows,
    // unless they are null. There is no last row of a border with gaps.
    void (*run)(const Group &group, const void *input, void *state, int64_t first, int64_t last,
                uint8_t *flags, void *bottom);
    // Sets column[i] to H(i,m) of pair k, from the state after the last step. Returns the greatest.
    int32_t (*column)(const Group &group, int k, const void *state, int32_t *column);
    // Sets row[j] to H(n,j) of pair k, and returns the greatest.
    int32_t (*row)(const Group &group, int k, const void *bottom, int32_t *row);
    // Follows pair k's path until it reaches the border or a cell of a step before `first`, where
    // the flags begin.
    void (*trace)(const Group &group, int k, const uint8_t *flags, int64_t first, Path *path);
};

// Kernels with lanes of 8 and 16 bits. lanes.cpp says for which pairs.
struct CpuBuild {
    const char *name;
    Kernel narrow, wide;
};
extern const CpuBuild kPortableBuild, kAvx2Build, kAvx512Build, kNeonBuild;

// Computes with Java's 32-bit integers, one cell at a time, for every pair and all parameters.
extern const Kernel kExactKernel;

}  // namespace gkl_shim::smithwaterman

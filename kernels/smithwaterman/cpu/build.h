// What a kernel offers to engine.cpp: a struct of functions. kernel.inc is compiled to two for each
// instruction set; exact.cpp has another.
//
// A kernel computes the matrix in steps. Its state between two steps is a block of memory, so a
// step can be computed again. It keeps the decisions of each cell for the trace back as flags.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "smithwaterman/model.h"

namespace gkl_shim {
namespace smithwaterman {

enum : char { kMatch = 'M', kInsertion = 'I', kDeletion = 'D', kClip = 'S' };

// The way back from the end of the alignment. The CIGAR is written backwards, last element first.
struct Path {
    int64_t i, j;    // the cell
    char gap;        // the cell was reached within a gap of this kind that goes on; 0 if not
    char kind;       // of the element that is not complete yet
    int64_t length;  // of that element
    char *text;      // the CIGAR's text so far
};

struct Kernel {
    int64_t (*steps)(const Pair &pair);
    // Bytes, multiples of 64 for input and state.
    size_t (*input_bytes)(const Pair &pair);
    size_t (*state_bytes)(const Pair &pair);
    size_t (*flag_bytes)(const Pair &pair);  // of one step
    // Prepares the pair's letters, and the state before step 0.
    void (*begin)(const Pair &pair, void *input, void *state);
    // Computes steps [first, last). `flags` receives theirs, unless it is null. H(n,j) goes to
    // row[j], unless it is null; row[0] is H(n,0).
    void (*run)(const Pair &pair, const void *input, void *state, int64_t first, int64_t last,
                uint8_t *flags, int32_t *row);
    // Sets column[i] to H(i,m), from the state after the last step.
    void (*column)(const Pair &pair, const void *state, int32_t *column);
    // Follows the path until it reaches the border or a cell of a step before `first`, where the
    // flags begin.
    void (*trace)(const Pair &pair, const uint8_t *flags, int64_t first, Path *path);
};

// Kernels with lanes of 8 and of 16 bits. fits() in engine.cpp says for which pairs.
struct CpuBuild {
    const char *name;
    Kernel narrow, wide;
};
extern const CpuBuild kPortableBuild, kAvx2Build, kAvx512Build, kNeonBuild;

// Computes with Java's 32-bit integers, one cell at a time, for every pair and all parameters.
extern const Kernel kExactKernel;

}  // namespace smithwaterman
}  // namespace gkl_shim

// What the host writes and the kernels of this folder read: a chunk of reads whose regions have one
// haplotype each. Batches of reads by one haplotype are what the Python API is for. GATK's regions
// have several haplotypes, and go to the kernels of hmm/cuda/kernels.
//
// The block is a LoneHeader and the arrays that its offsets point to. A read's bases and base
// qualities are codes of one byte each if no quality of the chunk is too high for that; otherwise,
// like the other tracks, they lie there as the caller passed them. A pair is a read and its
// region's haplotype. Pairs that take as many lanes are neighbours in the list of pairs, and a
// tile, the work of one warp, is a few of them.
#pragma once

#include "hmm/cuda/kernels/block_format.h"

namespace gkl_shim::pairhmm {

enum {
    // The longest haplotype, which is also the longest one that is not cut.
    kLoneColumns = 1024,
    // Lanes read letters before the first one of their haplotype, and after its last one as long as
    // the longest haplotype of the tile lasts.
    kLettersBefore = 32,
    kLettersAfter = kLoneColumns + 64,
};

// A base and its quality in one byte: letter * kCodedQualities + quality.
enum { kCodedQualities = 51 };
static_assert(kLetters * kCodedQualities <= 256, "a code is a byte");

struct alignas(16) LonePair {
    uint32_t read;       // index of its first base in each track
    uint32_t haplotype;  // index of its first letter
    uint16_t rows, columns;
    uint32_t result;  // index of its result
};

struct alignas(4) LoneTile {
    uint32_t first;  // pair
    uint16_t pairs;
    uint16_t lanes;  // of each pair
};

struct LoneHeader {
    // Offsets in bytes from the header.
    int64_t pairs, tiles, letters, bases, base_quals, insertion_quals, deletion_quals,
        continuation_quals;
    // Whether all bases of the chunk have the continuation quality of the first, which is sent
    // alone then; and whether the same holds for all three gap qualities.
    int32_t one_continuation, one_gap;
    int32_t coded;  // whether `bases` are codes, and there are no `base_quals`
};

// The kernels in single precision, by rows a lane.
enum { kLoneKernels = 4 };  // GKL_SHIM_PAIRHMM_CUDA_LONE_KERNELS
constexpr int kLoneRowsPerLane[kLoneKernels] = {8, 16, 20, 32};

// The kernel in double precision. A read that takes more lanes than a warp has is computed in two
// stripes of rows, one after the other. The lower one takes all lanes. A multiprocessor holds
// kLoneDoubleBlocks blocks.
enum { kLoneDoubleRows = 16, kLoneDoubleLanes = 2 * kWarp, kLoneDoubleBlocks = 8 };

// The longest reads of the kernels of each precision, in rows, and of a warp in double precision.
enum {
    kLongestLone = kLongestSingleRead,
    kLongestLoneDouble = kLoneDoubleLanes * kLoneDoubleRows,
    kLongestOneStripe = kWarp * kLoneDoubleRows,
};
static_assert(kLongestLone == kWarp * kLoneRowsPerLane[kLoneKernels - 1], "a read fits a warp");

// Lanes of a read in double precision.
GKL_SHIM_BOTH constexpr int32_t lone_double_lanes(int32_t rows) {
    return (rows + kLoneDoubleRows - 1) / kLoneDoubleRows;
}

// The pairs of a tile that take this many lanes each.
GKL_SHIM_BOTH constexpr int32_t pairs_of_tile(int32_t lanes) {
    return lanes < kWarp ? kWarp / lanes : 1;
}

// The pairs that the kernel in double precision computes, grouped by how many lanes each takes.
struct alignas(16) LoneSelection {
    // Where each group begins, and how many pairs it has. Groups are parts of the list of indices
    // that follows this struct, or without a list, of the header's `pairs`.
    int32_t first[kLoneDoubleLanes + 1], count[kLoneDoubleLanes + 1];
    int32_t has_list;
};

// What the last row of an upper stripe passes to the lower stripe, for each column. Lanes are at
// columns before the first one and after the last one, too.
enum { kLoneSeamMargin = kWarp + 2, kLoneSeamColumns = kLoneColumns + 2 * kLoneSeamMargin };
typedef BoundaryState<double> LoneSeam[kLoneSeamColumns];
static_assert(kLoneSeamMargin > kWarp - 1 + 2,
              "the last lane ends kWarp - 1 steps after the first, "
              "which loads two columns ahead");

// The shared memory of a block, in bytes: the emissions of each lane for each letter.
template <class T>
GKL_SHIM_BOTH constexpr int32_t lone_shared_bytes(int32_t rows_per_lane) {
    return kWarp * rows_per_lane * int32_t(kLetters * sizeof(T));
}

}  // namespace gkl_shim::pairhmm

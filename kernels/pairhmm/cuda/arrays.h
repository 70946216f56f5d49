// Batches whose bases and qualities are in a device's memory: what the planner leaves to the
// device.
//
// The host does not see the letters. A kernel finds those that are none, and wrong qualities,
// before a batch is one. Another says what the haplotypes of a region have in common, from which
// the planner makes its tries; a third then fetches the letters of their columns into the chunk's
// block. Reads are not copied: the block's header points at them.
#pragma once

#include "pairhmm/cuda/layout.h"

namespace gkl_shim {
namespace pairhmm {

// Threads of a block: of those that compare a region's haplotypes, where these are at most so many
// and where they are more; and of all others.
constexpr int kFewHaplotypes = 64, kCompareFew = 32, kCompareMany = 256, kArrayThreads = 256;

// Segments that a block fetches.
constexpr int kFetchSegments = kArrayThreads / kWarp;

// Arrays of one size, letters first, then qualities; and what is looked for in them.
constexpr int kMostTracks = 5;
struct Tracks {
    const uint8_t *bytes[kMostTracks];
};
struct Faults {
    // By track: the first place that is wrong, as far as known; greater than any where none is.
    unsigned long long first[kMostTracks];
    unsigned int blocks_done;
};
// What all bytes of Faults are before each launch: the kernel leaves them so.
constexpr int kNoFault = 0xff;

// What a haplotype's head, or its tail read backwards, has in common with one of its region before
// it: a gkl_shim_cuda_prefix, written at once, so that who sees a part of it sees all. The length
// is kLetterRefused where that is the region's first haplotype, and one of them has a letter that
// is none.
typedef uint64_t Prefix;
constexpr int32_t kLetterRefused = -1;
GKL_SHIM_BOTH inline Prefix prefix_of(int32_t like, int32_t length) {
    return uint64_t(uint32_t(length)) << 32 | uint32_t(like);
}

// A haplotype that parts from its leader: with which eight letters, and after how many in common.
struct Parting {
    uint64_t word;
    int32_t haplotype, leader, length, unused;
};

// Columns of a stream to fetch. Letter k is that of base source + k * step.
struct Segment {
    int64_t source;
    uint32_t column,
        event;  // places in bytes from the header; the event's is 0 where there is none
    int32_t length;
    int32_t step;    // 1, or -1
    int32_t letter;  // which one the event is to have
    int32_t unused;
};

// Follows the ChunkHeader in the block. Addresses are the device's.
struct ArraysRecord {
    int64_t bases, base_quals, insertion_quals, deletion_quals, continuation_quals;
    int64_t haplotype_bases;
    int64_t segments;  // the offset of the first, in bytes from the header
    int32_t segment_count;
    int32_t as_gkl;
};

constexpr int64_t kArraysRecordAt = (sizeof(ChunkHeader) + 255) / 256 * 256;

}  // namespace pairhmm
}  // namespace gkl_shim

// Batches whose bases and qualities are in a device's memory: what the planner leaves to the
// device.
//
// The host does not see the letters. A kernel says what the haplotypes of a region have in common,
// from which the planner makes its tries; another then fetches the letters of their columns into
// the chunk's block. Reads are not copied: the block's header points at them.
#pragma once

#include "pairhmm/cuda_layout.h"

namespace gkl_shim {
namespace pairhmm {

// Threads of a block: of those that compare a region's haplotypes, where these are at most so many
// and where they are more; and of all others.
constexpr int kFewHaplotypes = 64, kCompareFew = 32, kCompareMany = 256, kArrayThreads = 256;

// What a haplotype's head, or its tail read backwards, has in common with one of its region before
// it (gkl_shim_cuda_prefix).
struct Prefix {
    int32_t like, length;
};

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

// Reads on their way to a device: one after another in pinned memory, with offsets.
#pragma once

#include <stdint.h>

#include "correct/reads.h"

namespace gkl_shim::correct {

// Where a chunk of reads that begins at `first` ends: after about `most` bases, and at least one
// read.
struct Cut {
    int64_t end, bases, kmers;
    int32_t longest;
};
Cut cut_reads(const Read *reads, int64_t first, int64_t count, int64_t most, int k);

// Copies `count` reads. `qualities` may be null; reads without any get 0.
void stage_reads(const Read *reads, int64_t count, uint32_t *offsets, uint8_t *letters,
                 uint8_t *qualities, int threads);

}  // namespace gkl_shim::correct

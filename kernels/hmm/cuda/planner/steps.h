// The steps that make a chunk, in order. Each fills in a part of the plan.
#pragma once

#include <stdint.h>

#include "hmm/cuda/planner/chunk_plan.h"

namespace gkl_shim::pairhmm {

// A chunk's haplotypes have no more letters than this: planning takes memory for each letter, and
// places in a block are 32 bits wide.
constexpr int64_t kChunkLetters = int64_t(1) << 24;

// Lists the parts of the chunk that begins at `place`, and moves `place` to where the next chunk
// begins: regions in the batch's order, until the chunk is full. The region at `place` has at most
// kChunkLetters.
void choose_reads(ChunkPlan *plan, BatchPlace *place);

// Chooses the width of a chunk's tiles, into how many streams a trie is cut, and whether one warp
// computes a whole tile (`passes` becomes 1, otherwise 0). The choice is the fastest one for a
// sample of the parts, by an estimate. All parts whose reads fit get the same width, because the
// device is idle for a moment at the end of each kernel.
void choose_width(ChunkPlan *plan);

// Makes the lists of a group of parts: reads packed into tiles or cut into stripes, and haplotypes
// merged into tries, which become streams. `refused` is set if a haplotype has a letter that the
// conventions refuse.
void plan_group(ChunkPlan *plan, Group *group);

// Assigns a place in the block to each list of the planned groups, and to each tile a place in the
// order in which the device starts tiles. Fills in the rest of `plan->chunk`.
void lay_out_block(ChunkPlan *plan);

// Writes a chunk's block, given its layout, as kernels/block_format.h describes it, with the reads'
// tracks or up to them.
void write_block(ChunkPlan *plan, uint8_t *block, bool tracks);

// Copies what a chunk's kernels have written to the batch's results. Returns how many pairs have no
// result, as ChunkPlanner::collect() says.
int64_t collect_results(ChunkPlan *plan, const double *results, double *values);

}  // namespace gkl_shim::pairhmm

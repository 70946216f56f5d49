// The CUDA engine's planner, which cuts a batch into chunks and writes each into one block of
// memory. One transfer copies the block to a device, whose kernels compute the chunk. These are the
// steps that make a chunk, in order. Each fills in a part of the plan. A step may throw, for
// example std::bad_alloc.
#pragma once

#include <stdint.h>

#include "hmm/cuda/planner/chunk_plan.h"

namespace gkl_shim::pairhmm {

// A chunk's haplotypes have no more letters than this: planning takes memory for each letter, and
// places in a block are 32 bits wide.
constexpr int64_t kChunkLetters = int64_t(1) << 24;

// Lists the parts of the chunk that begins at `place`, and moves `place` to where the next chunk
// begins: regions in the batch's order, until the chunk is full. Returns false if there is nothing
// to compute up to there. The batch has been checked, and does not change until the results are
// collected. The region at `place` has at most kChunkLetters.
//
// In single precision a chunk computes every pair of a read of up to 1,024 bases. In double
// precision it computes the pairs whose value is NaN. Only reads with at least one pair that no
// engine has tried (is_untried()) count in the chunk's computed_cells. A read of more than 256
// bases is computed only if its states fit a chunk's scratch: its rows for each haplotype, and 16
// bytes for each of their letters and each 256 of its rows.
bool choose_reads(ChunkPlan *plan, const ChunkInputs &inputs, BatchPlace *place);

// Chooses the width of a chunk's tiles, into how many streams a trie is cut, and whether one warp
// computes a whole tile (`passes` becomes 1, otherwise 0). The choice is the fastest one for a
// sample of the parts, by an estimate. All parts whose reads fit get the same width, because the
// device is idle for a moment at the end of each kernel.
void choose_width(ChunkPlan *plan);

// Makes the lists of each group of parts: reads packed into tiles or cut into stripes, and
// haplotypes merged into tries, which become streams. GKL_SHIM_EINVAL: the conventions refuse a
// haplotype's letter.
gkl_shim_status plan_groups(ChunkPlan *plan);

// Assigns a place in the block to each list of the planned groups, and to each tile a place in the
// order in which the device starts tiles. Fills in the rest of `plan->chunk`.
void lay_out_block(ChunkPlan *plan);

// Writes a chunk's block, given its layout, as kernels/block_format.h describes it, with the reads'
// tracks or up to them.
void write_block(ChunkPlan *plan, uint8_t *block, bool tracks);

// Copies the kernels' results to their places in `values`. A result that is not trusted becomes
// NaN. A pair that was not computed becomes no_result(). Returns how many pairs of the chunk's
// reads are NaN now.
int64_t collect_results(ChunkPlan *plan, const double *results, double *values);

}  // namespace gkl_shim::pairhmm

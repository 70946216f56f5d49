// The layout of a chunk's block.
#pragma once

#include "gkl_shim_internal.h"
#include "pairhmm/cuda/chunk_plan.h"

namespace gkl_shim {
namespace pairhmm {

// Assigns a place in the block to each list of the planned groups, and to each tile a place in the
// order in which the device starts tiles. Fills in the chunk's figures.
void lay_out_block(ChunkPlan *plan, gkl_shim_pairhmm_cuda_chunk *chunk);

}  // namespace pairhmm
}  // namespace gkl_shim

// Where everything is in a chunk's block.
#pragma once

#include "gkl_shim_internal.h"
#include "pairhmm/cuda/chunk_plan.h"

namespace gkl_shim {
namespace pairhmm {

// Given planned groups, gives each list its place in the block, and each tile its place in the
// order in which the device starts tiles; fills in the chunk's figures.
void lay_out_block(ChunkPlan *plan, gkl_shim_cuda_chunk *chunk);

}  // namespace pairhmm
}  // namespace gkl_shim

// The contents of a chunk's block.
#pragma once

#include <stdint.h>

#include "pairhmm/cuda/chunk_plan.h"

namespace gkl_shim {
namespace pairhmm {

// Writes a chunk's block, given its layout, as cuda/block_format.h describes it.
void write_block(ChunkPlan *plan, uint8_t *block);

}  // namespace pairhmm
}  // namespace gkl_shim

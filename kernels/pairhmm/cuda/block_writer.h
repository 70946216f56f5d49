// How a chunk's block is written.
#pragma once

#include <stdint.h>

#include "pairhmm/cuda/chunk_plan.h"

namespace gkl_shim {
namespace pairhmm {

// Given a plan with a layout, writes the block as cuda/block_format.h says.
void write_block(ChunkPlan *plan, uint8_t *block);

}  // namespace pairhmm
}  // namespace gkl_shim

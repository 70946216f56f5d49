// The choice of the width of a chunk's tiles.
#pragma once

#include "gkl_shim_internal.h"
#include "pairhmm/cuda/chunk_plan.h"

namespace gkl_shim {
namespace pairhmm {

// Chooses the width of a chunk's tiles, into how many streams a trie is cut, and whether one warp
// computes a whole tile (`passes` becomes 1, otherwise 0). The choice is the fastest one for a
// sample of the parts, by an estimate. All parts whose reads fit get the same width, because the
// device is idle for a moment at the end of each kernel.
void choose_width(ChunkPlan *plan, gkl_shim_pairhmm_cuda_chunk *chunk);

}  // namespace pairhmm
}  // namespace gkl_shim

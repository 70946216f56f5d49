// How wide a chunk's tiles are.
#pragma once

#include "gkl_shim_internal.h"
#include "pairhmm/cuda/chunk_plan.h"

namespace gkl_shim {
namespace pairhmm {

// Given a chunk's parts, chooses the width of its tiles, how many streams a trie is cut into, and
// whether one warp computes a whole tile: `passes` becomes 1 then, else 0. It is what a sample of
// the parts takes least time with. There is one width for all parts that it holds, since several
// kernels in turn leave the device idle at each end.
void choose_width(ChunkPlan *plan, gkl_shim_cuda_chunk *chunk);

}  // namespace pairhmm
}  // namespace gkl_shim

// What a group of parts consists of.
#pragma once

#include "pairhmm/cuda/chunk_plan.h"

namespace gkl_shim {
namespace pairhmm {

// Given a group of a chunk's parts, whose width is chosen, makes its lists: reads packed into tiles
// or cut into stripes (RowPacker), and haplotypes merged into tries and these into streams
// (HaplotypeMerger). `refused` is set if a haplotype has a letter that the conventions refuse.
void plan_group(ChunkPlan *plan, Group *group);

}  // namespace pairhmm
}  // namespace gkl_shim

// The plan of a group of parts.
#pragma once

#include "pairhmm/cuda/chunk_plan.h"

namespace gkl_shim {
namespace pairhmm {

// Makes the lists of a group of parts, once the width is chosen: reads packed into tiles or cut
// into stripes (RowPacker), and haplotypes merged into tries, which become streams
// (HaplotypeMerger). `refused` is set if a haplotype has a letter that the conventions refuse.
void plan_group(ChunkPlan *plan, Group *group);

}  // namespace pairhmm
}  // namespace gkl_shim

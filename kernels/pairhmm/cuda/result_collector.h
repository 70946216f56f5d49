// The results of a chunk.
#pragma once

#include <stdint.h>

#include "pairhmm/cuda/chunk_plan.h"

namespace gkl_shim {
namespace pairhmm {

// Copies what a chunk's kernels have written to the batch's results. Returns how many pairs have no
// result, as gkl_shim_pairhmm_cuda_planner_finish() says.
int64_t collect_results(ChunkPlan *plan, const double *results, double *values);

}  // namespace pairhmm
}  // namespace gkl_shim

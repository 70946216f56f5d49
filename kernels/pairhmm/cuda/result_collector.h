// How a chunk's results get to where they belong.
#pragma once

#include <stdint.h>

#include "pairhmm/cuda/chunk_plan.h"

namespace gkl_shim {
namespace pairhmm {

// Given what a chunk's kernels have written, puts it into the batch's results; returns how many
// pairs have no result, as gkl_shim_cuda_finish() says.
int64_t collect_results(ChunkPlan *plan, const double *results, double *values);

}  // namespace pairhmm
}  // namespace gkl_shim

// The CUDA engine, for this library's own callers.
#pragma once

#include "gkl_shim_internal.h"

namespace gkl_shim {
namespace pairhmm {

// gkl_shim_pairhmm_cuda_compute() for one batch that has been checked.
gkl_shim_status compute_checked(gkl_shim_pairhmm_cuda *engine, const gkl_shim_pairhmm_batch &batch,
                                double *log10_likelihoods, gkl_shim_pairhmm_stats *done);

}  // namespace pairhmm
}  // namespace gkl_shim

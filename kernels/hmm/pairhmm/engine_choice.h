// What a call is expected to cost on the CPU and on a GPU, before any has been timed.
#pragma once

#include "gkl_shim_internal.h"

namespace gkl_shim::pairhmm {

// `cells`: the batch's. `slow_double`: the GPU is slow in double precision.
gkl_shim_call_estimate estimate_call(const gkl_shim_pairhmm_batch &batch, int64_t cells,
                                     bool double_precision, bool slow_double, int threads);

}  // namespace gkl_shim::pairhmm

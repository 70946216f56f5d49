// How the C ABI reaches the CUDA engine in a process that is not Python: Python opens the devices
// in the background (python_host.h), and the engines here use them.
#pragma once

#include <string>

#include "gkl_shim_internal.h"

namespace gkl_shim::pairhmm {

// Starts the engine in the background if `backend` may need it. With GKL_SHIM_AUTO, this takes an
// NVIDIA driver.
void start_cuda(int32_t backend);

// Whether the engine is ready for a call. The first call that waits does so for ten seconds at
// most. If the GPU is not ready then, does not start or has failed, the CPU computes all later
// calls.
bool cuda_is_ready(bool waits);

// Computes a checked batch. `done` receives what the GPU did, and what the CPU did for it. Returns
// false if the GPU failed, the first time with a warning on standard error. The CPU then computes
// this call and all later ones.
bool compute_on_cuda(const gkl_shim_pairhmm_batch &batch, bool double_precision, bool as_gkl,
                     double *log10_likelihoods, gkl_shim_pairhmm_stats *done);

// One line: the devices in use, or why there are none.
std::string cuda_state();

}  // namespace gkl_shim::pairhmm

// The CUDA engine, as the C ABI reaches it: Python (gkl_shim/cuda/) opens it, through the process's
// interpreter, and hands it over; from then on no call needs Python.
#pragma once

#include <stdint.h>

#include <string>

#include "gkl_shim_internal.h"
#include "gpu/call_costs.h"

namespace gkl_shim {
namespace pairhmm {

// Begins to start the engine where `backend` may need it; returns at once. GKL_SHIM_AUTO does so
// only where there is an NVIDIA driver.
void start_cuda(int32_t backend);

// Whether this call goes to the GPU. The backend is GKL_SHIM_CUDA or GKL_SHIM_AUTO. With
// GKL_SHIM_CUDA the first call waits for the engine, at most ten seconds. With GKL_SHIM_AUTO no
// call waits, and `costs` chooses.
bool cuda_wanted(int32_t backend, const gkl_shim_call_estimate &call, gpu::CallCosts *costs);

// The batch has been checked. `done` receives what was done, on the GPU or by the CPU for it.
// False, with a warning on standard error for the first time, where the GPU failed: then the CPU
// computes this call and all after it.
bool compute_on_cuda(const gkl_shim_pairhmm_batch &batch, bool double_precision, bool as_gkl,
                     double *log10_likelihoods, gkl_shim_pairhmm_stats *done);

// What is used, or why nothing is. One line.
std::string cuda_state();

}  // namespace pairhmm
}  // namespace gkl_shim

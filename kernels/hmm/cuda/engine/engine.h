// The CUDA engine, for this library's own callers.
#pragma once

#include <vector>

#include "gkl_shim_internal.h"
#include "gpu/call.h"
#include "gpu/engine.h"
#include "gpu/launch_threads.h"
#include "hmm/batch.h"
#include "hmm/cuda/engine/cpu_share.h"
#include "hmm/cuda/planner/span.h"
#include "hmm/on_cpu.h"

namespace gkl_shim::pairhmm {

// The batches of a call, which have been checked, and what is known about them.
struct CheckedBatches {
    const gkl_shim_pairhmm_batch *begin, *end;
    const hmm::Shape *shapes;  // of each of them
    const uint8_t *one_gap;    // as in gkl_shim_pairhmm_cuda_compute()
    int64_t pairs, cells;      // of all of them
};

// The devices, kernels and settings that calls compute with, and what they have done.
class CudaEngine : public gkl_shim_cuda_engine {
   public:
    explicit CudaEngine(const gkl_shim_pairhmm_cuda_options &options);

    // Fills in the results of batches, which are stored one after another. `done`: what was done
    // for this call; may be null.
    gkl_shim_status compute(const CheckedBatches &batches, double *results,
                            gkl_shim_pairhmm_stats *done);

    Totals totals;

   private:
    gkl_shim_pairhmm_cuda_options with_own_devices(gkl_shim_pairhmm_cuda_options options) const;
    gkl_shim_status compute_all(gpu::Call *call, CpuShare *cpu, const CheckedBatches &batches,
                                double *results);
    gkl_shim_status compute_undone(CpuShare *cpu, const Span &span, bool all_wanted) const;

    const std::vector<gkl_shim_pairhmm_cuda_device> hardware_;
    const gkl_shim_pairhmm_cuda_options options_;
    const CpuSettings cpu_settings_;
    gpu::LaunchLimits limits_;
};

// gkl_shim_pairhmm_cuda_compute() for one batch that has been checked.
gkl_shim_status compute_checked(gkl_shim_cuda_engine *engine, const gkl_shim_pairhmm_batch &batch,
                                double *log10_likelihoods, gkl_shim_pairhmm_stats *done);

}  // namespace gkl_shim::pairhmm

// The CUDA engine, for this library's own callers.
#pragma once

#include <mutex>
#include <vector>

#include "gkl_shim_internal.h"
#include "gpu/call.h"
#include "gpu/devices.h"
#include "gpu/driver.h"
#include "gpu/launch_threads.h"
#include "hmm/batch.h"
#include "hmm/cuda/engine/cpu_share.h"
#include "hmm/cuda/planner/span.h"
#include "hmm/on_cpu.h"

namespace gkl_shim {
namespace pairhmm {

// The batches of a call, which have been checked, and what is known about them.
struct CheckedBatches {
    const gkl_shim_pairhmm_batch *begin, *end;
    const hmm::Shape *shapes;  // of each of them
    const uint8_t *one_gap;    // as in gkl_shim_pairhmm_cuda_compute()
    int64_t pairs, cells;      // of all of them
};

}  // namespace pairhmm
}  // namespace gkl_shim

// The devices, kernels and settings that calls compute with, and what they have done.
struct gkl_shim_pairhmm_cuda {
   public:
    explicit gkl_shim_pairhmm_cuda(const gkl_shim_pairhmm_cuda_options &options);

    // Fills in the results of batches, which are stored one after another. `done`: what was done
    // for this call; may be null.
    gkl_shim_status compute(const gkl_shim::pairhmm::CheckedBatches &batches, double *results,
                            gkl_shim_pairhmm_stats *done);

    // What all calls have done.
    gkl_shim_pairhmm_stats statistics() const;

    const gkl_shim_pairhmm_cuda_options &options() const { return options_; }
    gkl_shim::gpu::Devices &devices() { return devices_; }
    const gkl_shim::gpu::Devices &devices() const { return devices_; }

   private:
    gkl_shim_pairhmm_cuda_options with_own_devices(gkl_shim_pairhmm_cuda_options options) const;
    gkl_shim_status compute_all(gkl_shim::gpu::Call *call, gkl_shim::pairhmm::CpuShare *cpu,
                                const gkl_shim::pairhmm::CheckedBatches &batches, double *results);
    gkl_shim_status compute_undone(gkl_shim::pairhmm::CpuShare *cpu,
                                   const gkl_shim::pairhmm::Span &span, bool all_wanted) const;

    const std::vector<gkl_shim_pairhmm_cuda_device> hardware_;
    const gkl_shim_pairhmm_cuda_options options_;
    const gkl_shim::CudaDriver driver_;
    const gkl_shim::pairhmm::CpuSettings cpu_settings_;
    gkl_shim::gpu::Devices devices_;
    gkl_shim::gpu::LaunchLimits limits_;
    mutable std::mutex totals_mutex_;
    gkl_shim_pairhmm_stats totals_ = {};
};

namespace gkl_shim {
namespace pairhmm {

// gkl_shim_pairhmm_cuda_compute() for one batch that has been checked.
gkl_shim_status compute_checked(gkl_shim_pairhmm_cuda *engine, const gkl_shim_pairhmm_batch &batch,
                                double *log10_likelihoods, gkl_shim_pairhmm_stats *done);

}  // namespace pairhmm
}  // namespace gkl_shim

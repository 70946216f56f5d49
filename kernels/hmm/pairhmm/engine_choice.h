// The choice of the engine for a call of PairHMM, CPU or GPU.
#pragma once

#include "gkl_shim_internal.h"
#include "gpu/call_costs.h"
#include "hmm/on_cpu.h"

namespace gkl_shim::pairhmm {

// The choice for the calls of a handle. With GKL_SHIM_CUDA they go to the GPU, unless there is none
// or it has failed. With GKL_SHIM_AUTO they go to the engine that is expected to finish sooner: at
// first by an estimate, then by what earlier calls of that size cost (gpu/call_costs.h). No call
// waits for the GPU then.
class EngineChoice {
   public:
    // Starts the GPU's engine in the background if the backend may need it.
    explicit EngineChoice(int32_t backend);

    struct Call {
        bool to_gpu = false, by_cost = false;
        gkl_shim_call_estimate estimate = {};  // of a call whose engine is chosen by cost
    };
    // Chooses the engine for a checked batch of this many cells.
    Call choose(const gkl_shim_pairhmm_batch &batch, int64_t cells,
                const hmm::CpuSettings &settings);

    // Learns how long a call took, and on which engine.
    void add(const Call &call, bool on_gpu, int64_t nanoseconds) {
        if (call.by_cost) costs_.add(call.estimate, on_gpu, double(nanoseconds));
    }

   private:
    const int32_t backend_;
    gpu::CallCosts costs_;
};

}  // namespace gkl_shim::pairhmm

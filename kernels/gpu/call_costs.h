// The choice of the engine for a call, CPU or GPU, by cost.
#pragma once

#include <atomic>

#include "gkl_shim_internal.h"

namespace gkl_shim::gpu {

// The cost of one algorithm's calls on either engine in nanoseconds, by size of call. The first
// value comes from the algorithm's estimate, all later ones are measured: no estimate knows the
// machine, its load, or the data. All calls must have the same number of threads. Any thread may
// use this.
class CallCosts {
   public:
    // Returns whether the GPU is expected to finish a call sooner. While the costs differ by less
    // than a factor of two, one call in 128 goes to the slower engine, which may have
    // become the faster one.
    bool prefer_gpu(const gkl_shim_call_estimate &call);

    // Records the time of a finished call. A first call, or one on a busy machine, may be slow for
    // other reasons, so a call counts for at most twice the expected time.
    void add(const gkl_shim_call_estimate &call, bool on_gpu, double nanoseconds);

   private:
    struct Cost {
        std::atomic<float> nanoseconds{0};  // 0: no call of this size has been chosen by cost yet
        std::atomic<uint32_t> calls{0};     // counted up to kMaxRemembered
        float known(double estimated);
    };
    struct Size {
        Cost cpu, gpu;
        std::atomic<uint32_t> calls{0};
    };

    Size &size(const gkl_shim_call_estimate &call);

    Size sizes_[64];  // by the binary logarithm of the size
};

}  // namespace gkl_shim::gpu

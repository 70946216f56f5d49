// Chooses the engine for a call, CPU or GPU, by cost.
#pragma once

#include <stdint.h>

#include <algorithm>
#include <atomic>

#include "gkl_shim_internal.h"

namespace gkl_shim {
namespace gpu {

// The cost of one algorithm's calls on either engine in nanoseconds, by size of call. The first
// value comes from the algorithm's estimate, all later ones are measured: no estimate knows the
// machine, its load, or the data. All calls must have the same number of threads. Any thread may
// use this.
class CallCosts {
   public:
    // Returns whether the GPU is expected to finish a call sooner. While the costs differ by less
    // than a factor of two, one call in kTriedEvery goes to the slower engine, which may have
    // become the faster one.
    bool prefer_gpu(const gkl_shim_call_estimate &call) {
        Size &here = size(call);
        const float cpu = known(&here.cpu, call.cpu_nanoseconds),
                    gpu = known(&here.gpu, call.gpu_nanoseconds);
        const bool close = std::max(cpu, gpu) < 2 * std::min(cpu, gpu);
        const uint32_t count = here.calls.fetch_add(1, std::memory_order_relaxed);
        return (gpu < cpu) != (close && count % kTriedEvery == kTriedEvery - 1);
    }

    // Records the time of a finished call. A first call, or one on a busy machine, may be slow for
    // other reasons, so a call counts for at most twice the expected time.
    void add(const gkl_shim_call_estimate &call, bool on_gpu, double nanoseconds) {
        Cost &cost = on_gpu ? size(call).gpu : size(call).cpu;
        const float before = cost.nanoseconds.load(std::memory_order_relaxed);
        const float seen = std::min(float(nanoseconds), 2 * before);
        const uint32_t calls = cost.calls.load(std::memory_order_relaxed) + 1;
        if (calls < kRemembered) cost.calls.store(calls, std::memory_order_relaxed);
        const float weight = 1 / float(std::min(calls + 1, kRemembered));
        cost.nanoseconds.store(before + (seen - before) * weight, std::memory_order_relaxed);
    }

   private:
    static constexpr uint32_t kTriedEvery = 128, kRemembered = 8;

    struct Cost {
        std::atomic<float> nanoseconds{0};  // 0: no call of this size has been chosen by cost yet
        std::atomic<uint32_t> calls{0};     // at most kRemembered
    };
    struct Size {
        Cost cpu, gpu;
        std::atomic<uint32_t> calls{0};
    };

    static float known(Cost *cost, double estimated) {
        const float found = cost->nanoseconds.load(std::memory_order_relaxed);
        if (found > 0) return found;
        cost->nanoseconds.store(float(estimated), std::memory_order_relaxed);
        return float(estimated);
    }

    Size &size(const gkl_shim_call_estimate &call) {
        return sizes_[63 - __builtin_clzll(uint64_t(call.size) | 1)];
    }

    Size sizes_[64];  // by the binary logarithm of the size
};

}  // namespace gpu
}  // namespace gkl_shim

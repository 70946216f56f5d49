// Chooses the engine for a call, CPU or GPU, by cost.
#pragma once

#include <stdint.h>

#include <algorithm>
#include <atomic>

namespace gkl_shim {
namespace pairhmm {

// The cost of calls on either engine in nanoseconds, by size of call. The first value comes from a
// model, all later ones are measured: no model knows the machine, its load, or how much the
// haplotypes have in common. All calls of one handle have the same number of threads. Any thread
// may use this.
class CallCosts {
   public:
    // Returns whether the GPU is expected to finish a call of `cells` cells sooner. While the costs
    // differ by less than a factor of two, one call in kTriedEvery goes to the slower engine, which
    // may have become the faster one.
    bool prefer_gpu(int64_t cells, double modelled_cpu, double modelled_gpu) {
        Size &here = size(cells);
        const float cpu = known(&here.cpu, modelled_cpu), gpu = known(&here.gpu, modelled_gpu);
        const bool close = std::max(cpu, gpu) < 2 * std::min(cpu, gpu);
        const uint32_t call = here.calls.fetch_add(1, std::memory_order_relaxed);
        return (gpu < cpu) != (close && call % kTriedEvery == kTriedEvery - 1);
    }

    // Records the time of a finished call. A first call, or one on a busy machine, may be slow for
    // other reasons, so a call counts for at most twice the expected time.
    void add(bool on_gpu, int64_t cells, double nanoseconds) {
        Cost &cost = on_gpu ? size(cells).gpu : size(cells).cpu;
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

    static float known(Cost *cost, double modelled) {
        const float found = cost->nanoseconds.load(std::memory_order_relaxed);
        if (found > 0) return found;
        cost->nanoseconds.store(float(modelled), std::memory_order_relaxed);
        return float(modelled);
    }

    Size &size(int64_t cells) { return sizes_[63 - __builtin_clzll(uint64_t(cells) | 1)]; }

    Size sizes_[64];  // by the binary logarithm of the cells
};

}  // namespace pairhmm
}  // namespace gkl_shim

// Where a call goes by cost: the CPU engine or the GPU.
#pragma once

#include <stdint.h>

#include <algorithm>
#include <atomic>

namespace gkl_shim {
namespace pairhmm {

// What calls of each size cost on either engine, in nanoseconds: first what a model says, from then
// on what is measured, for no model knows the machine, its load, and how much the haplotypes have
// in common. Of one handle, whose calls all have the same threads; any thread may use it.
class CallCosts {
   public:
    // Whether a call of so many cells is expected to be done sooner on the GPU. While neither costs
    // twice as much as the other, one call in kTriedEvery goes to the dearer one: it may have
    // become the cheaper one.
    bool prefer_gpu(int64_t cells, double modelled_cpu, double modelled_gpu) {
        Size &here = size(cells);
        const float cpu = known(&here.cpu, modelled_cpu), gpu = known(&here.gpu, modelled_gpu);
        const bool close = std::max(cpu, gpu) < 2 * std::min(cpu, gpu);
        const uint32_t call = here.calls.fetch_add(1, std::memory_order_relaxed);
        return (gpu < cpu) != (close && call % kTriedEvery == kTriedEvery - 1);
    }

    // A call came to its end. The first one, and any on a busy machine, may take long for reasons
    // that are not its own, so no call counts for more than twice what was expected.
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
        std::atomic<float> nanoseconds{0};  // 0: no call was chosen by cost yet
        std::atomic<uint32_t> calls{0};     // up to kRemembered
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

    Size sizes_[64];  // by the logarithm of the cells
};

}  // namespace pairhmm
}  // namespace gkl_shim

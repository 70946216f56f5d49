#include "gpu/call_costs.h"

#include <algorithm>

namespace gkl_shim::gpu {

constexpr uint32_t kTriedEvery = 128, kMaxRemembered = 8;

bool CallCosts::prefer_gpu(const gkl_shim_call_estimate &call) {
    Size &here = size(call);
    const float cpu = here.cpu.known(call.cpu_nanoseconds),
                gpu = here.gpu.known(call.gpu_nanoseconds);
    const bool close = std::max(cpu, gpu) < 2 * std::min(cpu, gpu);
    const uint32_t count = here.calls.fetch_add(1, std::memory_order_relaxed);
    return (gpu < cpu) != (close && count % kTriedEvery == kTriedEvery - 1);
}

void CallCosts::add(const gkl_shim_call_estimate &call, bool on_gpu, double nanoseconds) {
    Cost &cost = on_gpu ? size(call).gpu : size(call).cpu;
    const float before = cost.nanoseconds.load(std::memory_order_relaxed);
    const float seen = std::min(float(nanoseconds), 2 * before);
    const uint32_t calls = cost.calls.load(std::memory_order_relaxed) + 1;
    if (calls < kMaxRemembered) cost.calls.store(calls, std::memory_order_relaxed);
    const float weight = 1 / float(std::min(calls + 1, kMaxRemembered));
    cost.nanoseconds.store(before + (seen - before) * weight, std::memory_order_relaxed);
}

float CallCosts::Cost::known(double estimated) {
    const float found = nanoseconds.load(std::memory_order_relaxed);
    if (found > 0) return found;
    nanoseconds.store(float(estimated), std::memory_order_relaxed);
    return float(estimated);
}

CallCosts::Size &CallCosts::size(const gkl_shim_call_estimate &call) {
    return sizes_[63 - __builtin_clzll(uint64_t(call.size) | 1)];
}

}  // namespace gkl_shim::gpu

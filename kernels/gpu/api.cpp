// What all algorithms share of the internal C ABI.
#include "common/error.h"
#include "common/floating_point_mode.h"
#include "gpu/call_costs.h"
#include "gpu/engine.h"

struct gkl_shim_call_costs : gkl_shim::gpu::CallCosts {};

extern "C" gkl_shim_status gkl_shim_call_costs_open(gkl_shim_call_costs **costs) {
    return gkl_shim::opened(costs);
}

extern "C" int32_t gkl_shim_call_costs_prefer_gpu(gkl_shim_call_costs *costs,
                                                  const gkl_shim_call_estimate *call) {
    const gkl_shim::FloatingPointMode mode;
    return costs->prefer_gpu(*call);
}

extern "C" void gkl_shim_call_costs_add(gkl_shim_call_costs *costs,
                                        const gkl_shim_call_estimate *call, int32_t on_gpu,
                                        int64_t nanoseconds) {
    const gkl_shim::FloatingPointMode mode;
    costs->add(*call, on_gpu != 0, double(nanoseconds));
}

extern "C" void gkl_shim_call_costs_close(gkl_shim_call_costs *costs) { delete costs; }

extern "C" const char *gkl_shim_cuda_engine_next_loss(gkl_shim_cuda_engine *engine,
                                                      int32_t *number) {
    if (!engine || !number) return nullptr;
    return engine->devices.next_loss(number);
}

extern "C" int32_t gkl_shim_cuda_engine_uses(const gkl_shim_cuda_engine *engine, int32_t number) {
    return engine && engine->devices.uses(number);
}

extern "C" void gkl_shim_cuda_engine_close(gkl_shim_cuda_engine *engine) {
    const gkl_shim::FloatingPointMode mode;
    delete engine;
}

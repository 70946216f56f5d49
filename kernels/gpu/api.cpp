// CallCosts in the internal C ABI, for Python.
#include "common/error.h"
#include "common/floating_point_mode.h"
#include "gpu/call_costs.h"

struct gkl_shim_call_costs {
    gkl_shim::gpu::CallCosts costs{};
};

extern "C" gkl_shim_status gkl_shim_call_costs_open(gkl_shim_call_costs **costs) {
    return gkl_shim::opened(costs);
}

extern "C" int32_t gkl_shim_call_costs_prefer_gpu(gkl_shim_call_costs *costs,
                                                  const gkl_shim_call_estimate *call) {
    const gkl_shim::FloatingPointMode mode;
    return costs->costs.prefer_gpu(*call);
}

extern "C" void gkl_shim_call_costs_add(gkl_shim_call_costs *costs,
                                        const gkl_shim_call_estimate *call, int32_t on_gpu,
                                        int64_t nanoseconds) {
    const gkl_shim::FloatingPointMode mode;
    costs->costs.add(*call, on_gpu != 0, double(nanoseconds));
}

extern "C" void gkl_shim_call_costs_close(gkl_shim_call_costs *costs) { delete costs; }

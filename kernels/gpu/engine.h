// What the CUDA engines of all algorithms have.
#pragma once

#include <utility>

#include "common/error.h"
#include "gkl_shim_internal.h"
#include "gpu/devices.h"
#include "gpu/driver.h"

// The driver and the devices of an engine. An algorithm's engine derives from this class. Its own
// members are destroyed before the slots, so the slots' destructors must not use them.
struct gkl_shim_cuda_engine {
    gkl_shim_cuda_engine(const gkl_shim_cuda_driver &functions, int32_t max_slots,
                         gkl_shim::gpu::SlotMaker make_slot)
        : driver(functions), devices(driver, max_slots, std::move(make_slot)) {}
    virtual ~gkl_shim_cuda_engine() = default;
    gkl_shim_cuda_engine(const gkl_shim_cuda_engine &) = delete;

    const gkl_shim::CudaDriver driver;
    gkl_shim::gpu::Devices devices;
};

namespace gkl_shim::gpu {

// Makes an algorithm's engine; *engine is null where that fails.
template <class Engine, class Options>
gkl_shim_status opened_engine(gkl_shim_cuda_engine **engine, const Options &options) {
    Engine *made;
    const gkl_shim_status status = opened(&made, options);
    *engine = made;
    return status;
}

// Returns an engine as its algorithm's. Throws Failed if it was opened for another algorithm.
template <class Engine>
Engine &engine_of(gkl_shim_cuda_engine *engine) {
    if (Engine *const found = dynamic_cast<Engine *>(engine)) return *found;
    throw Failed{invalid("the engine was opened for another algorithm")};
}

}  // namespace gkl_shim::gpu

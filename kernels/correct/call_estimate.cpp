// What correcting reads is expected to cost on the CPU and on a GPU, before a call has been timed.
#include "common/cpu.h"
#include "common/floating_point_mode.h"
#include "gkl_shim_internal.h"

// The time to correct a base, on one CPU thread and on a device, and for a call of a device.
extern "C" void gkl_shim_correct_estimate(int64_t bases, int32_t threads,
                                          gkl_shim_call_estimate *call) {
    const gkl_shim::FloatingPointMode mode;
    *call = {bases, double(bases) * 10 / gkl_shim::allowed_threads(threads),
             1e6 + double(bases) * 0.5};
}

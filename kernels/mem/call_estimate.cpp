// What a search is expected to cost on the CPU and on a GPU, before any has been timed.
#include "common/cpu.h"
#include "common/floating_point_mode.h"
#include "gkl_shim_internal.h"

// The time for a letter of a query, on one CPU thread and on a device, and for a call of a device:
// medians of what `gkl-shim bench mem --papers` measured on a Zen 3 and an H200.
extern "C" void gkl_shim_mem_estimate(int64_t letters, int32_t threads,
                                      gkl_shim_call_estimate *call) {
    const gkl_shim::FloatingPointMode mode;
    *call = {letters, double(letters) * 20 / gkl_shim::allowed_threads(threads),
             1e6 + double(letters) * 0.5};
}

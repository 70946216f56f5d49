// The kernels of mem (cuda/kernels.cu), compiled for the host as a shared library. Each lane of a
// warp is a fiber. Blocks have one warp, and the kernels' loops do the work of the others.
#include "../fakes/host_kernel.h"
#include "../gpu/warps_on_host.h"

namespace {
const Index blockDim = {kLanes, 1};
}  // namespace

#include "mem/cuda/kernels.cu"

using namespace gkl_shim::mem;

namespace {

#define KERNEL(name)                                                                      \
    fakes::host_kernel(#name, name, [](unsigned x, unsigned y, void *const *parameters) { \
        launch(x, y, name, parameters);                                                   \
    })
const fakes::HostKernel kKernels[] = {
    KERNEL(make_text),     KERNEL(count_seeds),  KERNEL(fill_seeds),
    KERNEL(sum_values),    KERNEL(scan_values),  KERNEL(count_matches),
    KERNEL(place_matches), KERNEL(fill_matches), KERNEL(order_matches),
};

}  // namespace

extern "C" const fakes::HostKernel *find_kernel(const char *name) {
    return fakes::find(kKernels, name);
}

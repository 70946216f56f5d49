// The kernels of correct (cuda/kernels.cu), compiled for the host as a shared library. Each lane of
// a warp is a fiber. Blocks have one warp, and the kernels' loops do the work of the others.
#include "../fakes/host_kernel.h"
#include "../gpu/warps_on_host.h"

namespace {
const Index blockDim = {kLanes, 1};
}  // namespace

#include "correct/cuda/kernels.cu"

namespace gkl_shim {
namespace correct {
uint32_t shared_words[kWarps * kSharedWords + kFinishWords];
}  // namespace correct
}  // namespace gkl_shim

using namespace gkl_shim::correct;

namespace {

#define KERNEL(name)                                                                      \
    fakes::host_kernel(#name, name, [](unsigned x, unsigned y, void *const *parameters) { \
        launch(x, y, name, parameters);                                                   \
    })
const fakes::HostKernel kKernels[] = {
    KERNEL(count_kmers),  KERNEL(move_entries), KERNEL(finish_tables),
    KERNEL(search_reads), KERNEL(vote_reads),
};

}  // namespace

extern "C" const fakes::HostKernel *find_kernel(const char *name) {
    return fakes::find(kKernels, name);
}

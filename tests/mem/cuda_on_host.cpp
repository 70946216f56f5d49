// The kernels of mem (cuda/kernels.cu), compiled for the host. Each lane of a warp is a
// fiber. Blocks have one warp, or three for the index, and the kernels' loops do the work
// of the others.
#include "../fakes/host_kernel.h"
#include "../gpu/warps_on_host.h"
#include "mem/cuda/kernels.cu"

namespace gkl_shim {
namespace mem {
uint32_t shared_words[2 * kMaxParts];
}  // namespace mem
}  // namespace gkl_shim

using namespace gkl_shim::mem;

namespace {

constexpr uint32_t kUnused = 0xA5A5A5A5;

// Launches a kernel of the index, and checks the shared memory behind the words that it may use.
template <class Kernel>
void launch_index(unsigned x, unsigned y, Kernel *kernel, void *const *parameters, int64_t words) {
    std::fill(std::begin(shared_words), std::end(shared_words), kUnused);
    blockDim.x = 3 * kLanes;
    launch(x, y, kernel, parameters);
    blockDim.x = kLanes;
    if (std::any_of(shared_words + words, std::end(shared_words),
                    [](uint32_t word) { return word != kUnused; })) {
        fprintf(stderr, "a block writes shared memory that is not its own\n");
        abort();
    }
}

#define KERNEL(name)                                                                      \
    fakes::host_kernel(#name, name, [](unsigned x, unsigned y, void *const *parameters) { \
        launch(x, y, name, parameters);                                                   \
    })
#define INDEX_KERNEL(name, words)                                                         \
    fakes::host_kernel(#name, name, [](unsigned x, unsigned y, void *const *parameters) { \
        const SeedWork &work = *static_cast<const SeedWork *>(parameters[0]);             \
        launch_index(x, y, name, parameters, words);                                      \
    })
const fakes::HostKernel kKernels[] = {
    KERNEL(make_text),
    INDEX_KERNEL(count_parts, work.parts),
    INDEX_KERNEL(divide_seeds, work.parts),
    INDEX_KERNEL(sort_parts, ((void)work, kSortWords)),
    KERNEL(sum_values),
    KERNEL(scan_values),
    KERNEL(count_matches),
    KERNEL(place_matches),
    KERNEL(fill_matches),
    KERNEL(order_matches),
};

}  // namespace

extern "C" const fakes::HostKernel *find_kernel(const char *name) {
    return fakes::find(kKernels, name);
}

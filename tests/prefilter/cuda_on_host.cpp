// The prefilter's kernels (cuda/kernels.cu), compiled for the host. Loops replace a GPU's threads.
#include <stdint.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "../fakes/host_kernel.h"

#define __global__
#define __launch_bounds__(threads)
struct Index {
    unsigned x;
};
static thread_local Index blockIdx, threadIdx, gridDim;
struct uint4 {
    unsigned x, y, z, w;
};
static void atomicMin(unsigned long long *at, unsigned long long value) {
    *at = std::min(*at, value);
}

#include "prefilter/cuda/kernels.cu"

using namespace gkl_shim::prefilter;

namespace {

template <class Kernel>
void for_all(unsigned blocks, const Kernel &kernel) {
    gridDim.x = blocks;
    for (unsigned block = 0; block < blocks; block++)
        for (unsigned thread = 0; thread < kThreads; thread++) {
            blockIdx.x = block;
            threadIdx.x = thread;
            kernel();
        }
}

template <class... Parameters, size_t... K>
void run(void (*kernel)(Parameters...), unsigned blocks, void *const *parameters,
         std::index_sequence<K...>) {
    const std::tuple<Parameters...> values = {*static_cast<Parameters *>(parameters[K])...};
    for_all(blocks, [&] { kernel(std::get<K>(values)...); });
}
template <class... Parameters>
void run(void (*kernel)(Parameters...), unsigned blocks, void *const *parameters) {
    run(kernel, blocks, parameters, std::index_sequence_for<Parameters...>());
}

#define KERNEL(name, ...)                                                                 \
    fakes::host_kernel(name, __VA_ARGS__, [](unsigned blocks, unsigned, void *const *p) { \
        run(__VA_ARGS__, blocks, p);                                                      \
    })
const fakes::HostKernel kKernels[] = {
    KERNEL("encode", encode),
    KERNEL("exact<unsigned int, 0>", exact<uint32_t, 0>),
    KERNEL("exact<unsigned int, 1>", exact<uint32_t, 1>),
    KERNEL("exact<unsigned int, 2>", exact<uint32_t, 2>),
    KERNEL("exact<unsigned long long, 0>", exact<uint64_t, 0>),
    KERNEL("exact<unsigned long long, 1>", exact<uint64_t, 1>),
    KERNEL("exact<unsigned long long, 2>", exact<uint64_t, 2>),
    KERNEL("exact_words<4, 0>", exact_words<4, 0>),
    KERNEL("exact_words<4, 1>", exact_words<4, 1>),
    KERNEL("exact_words<4, 2>", exact_words<4, 2>),
    KERNEL("exact_words<8, 0>", exact_words<8, 0>),
    KERNEL("exact_words<8, 1>", exact_words<8, 1>),
    KERNEL("exact_words<8, 2>", exact_words<8, 2>),
    KERNEL("exact_blocks<1>", exact_blocks<1>),
    KERNEL("exact_blocks<2>", exact_blocks<2>),
    KERNEL("estimate<4>", estimate<4>),
    KERNEL("estimate<8>", estimate<8>),
    KERNEL("estimate<16>", estimate<16>),
    KERNEL("estimate<320>", estimate<320>),
};

}  // namespace

extern "C" const fakes::HostKernel *find_kernel(const char *name) {
    return fakes::find(kKernels, name);
}

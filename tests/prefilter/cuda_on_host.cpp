// The CUDA kernels' code, compiled for the host as a shared library: loops in place of the threads.
// fake_cupy.py calls launch() where CuPy would start a kernel.
#include <stdint.h>
#include <string.h>

#include <algorithm>

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

template <class T>
T argument(void **parameters, int k) {
    T value;
    memcpy(&value, parameters[k], sizeof value);
    return value;
}

template <class Kernel>
void for_all(int blocks, const Kernel &kernel) {
    gridDim.x = unsigned(blocks);
    for (int block = 0; block < blocks; block++)
        for (int thread = 0; thread < kThreads; thread++) {
            blockIdx.x = unsigned(block);
            threadIdx.x = unsigned(thread);
            kernel();
        }
}

}  // namespace

// Returns 0, or 1 where there is no such kernel.
extern "C" int launch(const char *name, int blocks, void **p) {
    const auto is = [name](const char *other) { return strcmp(name, other) == 0; };
    if (is("encode")) {
        for_all(blocks, [p] {
            encode(argument<const uint4 *>(p, 0), argument<int64_t>(p, 1),
                   argument<uint32_t *>(p, 2), argument<uint32_t *>(p, 3),
                   argument<uint32_t *>(p, 4), argument<uint32_t *>(p, 5));
        });
        return 0;
    }
    const Work work = argument<Work>(p, 0);
    const int32_t e = argument<int32_t>(p, 1);
#define KERNEL(text, call)              \
    if (is(text)) {                     \
        for_all(blocks, [&] { call; }); \
        return 0;                       \
    }
    KERNEL("exact<unsigned int, 0>", (exact<uint32_t, 0>(work, e)))
    KERNEL("exact<unsigned int, 1>", (exact<uint32_t, 1>(work, e)))
    KERNEL("exact<unsigned int, 2>", (exact<uint32_t, 2>(work, e)))
    KERNEL("exact<unsigned long long, 0>", (exact<uint64_t, 0>(work, e)))
    KERNEL("exact<unsigned long long, 1>", (exact<uint64_t, 1>(work, e)))
    KERNEL("exact<unsigned long long, 2>", (exact<uint64_t, 2>(work, e)))
    KERNEL("exact_words<4, 0>", (exact_words<4, 0>(work, e)))
    KERNEL("exact_words<4, 1>", (exact_words<4, 1>(work, e)))
    KERNEL("exact_words<4, 2>", (exact_words<4, 2>(work, e)))
    KERNEL("exact_words<8, 0>", (exact_words<8, 0>(work, e)))
    KERNEL("exact_words<8, 1>", (exact_words<8, 1>(work, e)))
    KERNEL("exact_words<8, 2>", (exact_words<8, 2>(work, e)))
    KERNEL("estimate<4>", estimate<4>(work, e))
    KERNEL("estimate<8>", estimate<8>(work, e))
    KERNEL("estimate<16>", estimate<16>(work, e))
    KERNEL("estimate<320>", estimate<320>(work, e))
    KERNEL("exact_blocks<1>", exact_blocks<1>(work, e, argument<uint32_t *>(p, 2)))
    KERNEL("exact_blocks<2>", exact_blocks<2>(work, e, argument<uint32_t *>(p, 2)))
    return 1;
}

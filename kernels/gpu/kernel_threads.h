// The numbers of a thread and of its warp in a launch, for CUDA kernels that share work among
// threads or warps in a loop. They are static, because kernels that are compiled for the host have
// their own variables for these numbers in each file.
#pragma once

#include "common/integers.h"

namespace gkl_shim {

static __device__ __forceinline__ int64_t thread_number() {
    return int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
}
static __device__ __forceinline__ int64_t thread_count() { return int64_t(gridDim.x) * blockDim.x; }
// A warp has 32 threads.
static __device__ __forceinline__ int64_t warp_number() { return thread_number() / 32; }
static __device__ __forceinline__ int64_t warp_count() { return thread_count() / 32; }

}  // namespace gkl_shim

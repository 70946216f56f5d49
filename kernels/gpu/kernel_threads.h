// The numbers of a thread and of its warp in a launch, for CUDA kernels that share work among
// threads or warps in a loop.
#pragma once

#include "common/integers.h"

namespace gkl_shim {

__device__ __forceinline__ int64_t thread_number() {
    return int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ __forceinline__ int64_t thread_count() { return int64_t(gridDim.x) * blockDim.x; }
// A warp has 32 threads.
__device__ __forceinline__ int64_t warp_number() { return thread_number() / 32; }
__device__ __forceinline__ int64_t warp_count() { return thread_count() / 32; }

}  // namespace gkl_shim

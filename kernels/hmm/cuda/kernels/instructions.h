// The GPU's instructions that the kernels use by name, and the units in which they load and store.
// The host has no such instructions: tests define those that are missing there.
#pragma once

#include "hmm/cuda/kernels/block_format.h"

namespace gkl_shim::pairhmm {
namespace {

constexpr unsigned kAllLanes = 0xffffffffu;

__device__ __forceinline__ float multiply_add(float a, float b, float c) {
    return __fmaf_rn(a, b, c);
}
__device__ __forceinline__ double multiply_add(double a, double b, double c) {
    return __fma_rn(a, b, c);
}

__device__ __forceinline__ unsigned least_of_warp(unsigned x) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
    for (int step = 16; step; step /= 2) x = min(x, __shfl_xor_sync(kAllLanes, x, step));
    return x;
#else
    return __reduce_min_sync(kAllLanes, x);
#endif
}

// The numbers that one 16-byte load from shared memory returns.
template <class T>
struct alignas(16) Pack {
    enum { kCount = 16 / sizeof(T) };
    T value[kCount];
};

// A 32-bit address in shared memory. The compiler would convert a generic pointer again at every
// load.
typedef uint32_t SharedAddress;
#if defined(__CUDA_ARCH__)
__device__ __forceinline__ SharedAddress shared_address(void *pointer) {
    return SharedAddress(__cvta_generic_to_shared(pointer));
}
// Loads 16 bytes. The compiler may not move it before the copies or stores that it reads.
__device__ __forceinline__ Pack<float> load_shared(SharedAddress from, const float *) {
    Pack<float> pack;
    asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(pack.value[0]), "=f"(pack.value[1]), "=f"(pack.value[2]),
                   "=f"(pack.value[3])
                 : "r"(from)
                 : "memory");
    return pack;
}
__device__ __forceinline__ Pack<double> load_shared(SharedAddress from, const double *) {
    Pack<double> pack;
    asm volatile("ld.shared.v2.f64 {%0, %1}, [%2];"
                 : "=d"(pack.value[0]), "=d"(pack.value[1])
                 : "r"(from)
                 : "memory");
    return pack;
}
#endif

// The states of the rows that one 16-byte access to the scratch moves.
template <class T>
struct alignas(16) StatePack {
    enum { kCount = 16 / sizeof(RowState<T>) };
    RowState<T> row[kCount];
};

// Copies from global to shared memory without going through registers. A thread may read what it
// has copied after wait_for_copies(). Before Ampere the copy is synchronous.
template <class A>
__device__ __forceinline__ void copy_async(A *to, const A *from) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(shared_address(to)), "l"(from),
                 "n"(sizeof(A))
                 : "memory");
#else
    *to = *from;
#endif
}
__device__ __forceinline__ void wait_for_copies() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

// Loads a byte of the kernel's input, which is read-only while the kernel runs.
__device__ __forceinline__ unsigned load_letter(const uint8_t *from) {
#if defined(__CUDA_ARCH__)
    unsigned letter;
    asm("ld.global.nc.u8 %0, [%1];" : "=r"(letter) : "l"(from));
    return letter;
#else
    return *from;
#endif
}

__device__ __forceinline__ void compiler_barrier() { asm volatile("" ::: "memory"); }

}  // namespace
}  // namespace gkl_shim::pairhmm

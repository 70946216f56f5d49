// How arithmetic is declared that the CPU's engines and the CUDA kernels share. GKL_SHIM_METHOD
// stands before methods, and before functions that are compiled once. GKL_SHIM_DEVICE stands before
// functions that are compiled for each instruction set.
#pragma once

#if defined(__CUDACC_RTC__)
#define GKL_SHIM_METHOD __device__ __forceinline__
#define GKL_SHIM_DEVICE GKL_SHIM_METHOD
#else
#define GKL_SHIM_METHOD inline __attribute__((always_inline))
// static: each instruction set's translation unit keeps its own copy
#define GKL_SHIM_DEVICE static GKL_SHIM_METHOD
#endif

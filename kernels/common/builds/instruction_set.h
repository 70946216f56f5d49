// The instruction set that a room's cpu/build.cpp is compiled for. CMakeLists.txt compiles that
// file once for each set, and defines one of the macros tested here. GKL_SHIM_BYTES is the size of
// a vector.
#pragma once

// x86-64 with AVX-512 (F, BW, DQ, VL).
#if defined(GKL_SHIM_AVX512)
#define GKL_SHIM_BUILD kAvx512Build
#define GKL_SHIM_BUILD_NAME "avx512"
#define GKL_SHIM_BYTES 64

// x86-64 with AVX2 and FMA.
#elif defined(GKL_SHIM_AVX2)
#define GKL_SHIM_BUILD kAvx2Build
#define GKL_SHIM_BUILD_NAME "avx2"
#define GKL_SHIM_BYTES 32

// aarch64. All its processors have NEON with fused multiply-add.
#elif defined(GKL_SHIM_NEON)
#define GKL_SHIM_BUILD kNeonBuild
#define GKL_SHIM_BUILD_NAME "neon"
#define GKL_SHIM_BYTES 16

// Any processor. The compiler translates vectors to the instructions there are, and fma to a
// library call if the processor has none. The other builds are tested against this one.
#elif defined(GKL_SHIM_PORTABLE)
#define GKL_SHIM_BUILD kPortableBuild
#define GKL_SHIM_BUILD_NAME "portable"
#define GKL_SHIM_BYTES 16
#endif

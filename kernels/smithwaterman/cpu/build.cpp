// The CPU kernels, compiled once for each instruction set (common/builds/instruction_set.h).
//
// This file and kernel.inc use no code of the C++ library and export only the build's struct;
// common/simd.h says why.

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <type_traits>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include "common/builds/instruction_set.h"
#include "smithwaterman/cpu/trace.h"

namespace gkl_shim::smithwaterman {
namespace {

namespace narrow {
#define GKL_SHIM_LANE int8_t
#define GKL_SHIM_LANE_BITS 8
#include "smithwaterman/cpu/kernel.inc"
#undef GKL_SHIM_LANE
#undef GKL_SHIM_LANE_BITS
}  // namespace narrow

namespace wide {
#define GKL_SHIM_LANE int16_t
#define GKL_SHIM_LANE_BITS 16
#include "smithwaterman/cpu/kernel.inc"
}  // namespace wide

}  // namespace

extern const CpuBuild GKL_SHIM_BUILD = {GKL_SHIM_BUILD_NAME, narrow::kKernel, wide::kKernel};

}  // namespace gkl_shim::smithwaterman

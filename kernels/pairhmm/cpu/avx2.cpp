// x86-64 with AVX2 and FMA.
#define GKL_SHIM_BUILD kAvx2Build
#define GKL_SHIM_BUILD_NAME "avx2"
#define GKL_SHIM_LANES_SINGLE 8
#define GKL_SHIM_LANES_SINGLE_NARROW 4
#define GKL_SHIM_LANES_DOUBLE 4
#define GKL_SHIM_LANES_DOUBLE_NARROW 2
#define GKL_SHIM_ROWS 3
#include "pairhmm/cpu/build.inc"

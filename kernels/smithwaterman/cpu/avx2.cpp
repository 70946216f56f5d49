// x86-64 with AVX2: 16 cells side by side.
#define GKL_SHIM_BUILD kAvx2Build
#define GKL_SHIM_BUILD_NAME "avx2"
#define GKL_SHIM_BYTES 32
#include "smithwaterman/cpu/lanes.inc"

// x86-64 with AVX2: 32 cells of 8 bits or 16 of 16 bits side by side.
#define GKL_SHIM_BUILD kAvx2Build
#define GKL_SHIM_BUILD_NAME "avx2"
#define GKL_SHIM_BYTES 32
#include "smithwaterman/cpu/lanes.inc"

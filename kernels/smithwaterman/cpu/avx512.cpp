// x86-64 with AVX-512 (F, BW, DQ, VL): 64 cells of 8 bits or 32 of 16 bits side by side.
#define GKL_SHIM_BUILD kAvx512Build
#define GKL_SHIM_BUILD_NAME "avx512"
#define GKL_SHIM_BYTES 64
#include "smithwaterman/cpu/lanes.inc"

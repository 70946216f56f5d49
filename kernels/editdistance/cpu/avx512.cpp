// x86-64 with AVX-512: 32 pairs side by side.
#define GKL_SHIM_BUILD kAvx512Build
#define GKL_SHIM_BUILD_NAME "avx512"
#define GKL_SHIM_BYTES 64
#include "editdistance/cpu/lanes.inc"

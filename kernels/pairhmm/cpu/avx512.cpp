// x86-64 with AVX-512 (F, BW, DQ, VL). Its 32 registers hold the coefficients of three rows.
#define GKL_SHIM_BUILD kAvx512Build
#define GKL_SHIM_BUILD_NAME "avx512"
#define GKL_SHIM_LANES_SINGLE 16
#define GKL_SHIM_LANES_SINGLE_NARROW 8
#define GKL_SHIM_LANES_DOUBLE 8
#define GKL_SHIM_LANES_DOUBLE_NARROW 4
#define GKL_SHIM_ROWS 3
#include "pairhmm/cpu/build.inc"

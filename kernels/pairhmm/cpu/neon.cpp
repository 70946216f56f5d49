// aarch64. All its processors have NEON with fused multiply-add.
#define GKL_SHIM_BUILD kNeonBuild
#define GKL_SHIM_BUILD_NAME "neon"
#define GKL_SHIM_LANES_SINGLE 4
#define GKL_SHIM_LANES_SINGLE_NARROW 4
#define GKL_SHIM_LANES_DOUBLE 2
#define GKL_SHIM_LANES_DOUBLE_NARROW 2
#define GKL_SHIM_ROWS 3
#include "pairhmm/cpu/build.inc"

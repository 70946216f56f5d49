// aarch64. All its processors have NEON with fused multiply-add.
#define GKL_SHIM_BUILD kNeonBuild
#define GKL_SHIM_BUILD_NAME "neon"
#define GKL_SHIM_LANES 2
#define GKL_SHIM_LANES_NARROW 2
#define GKL_SHIM_ROWS 3
#include "pdhmm/cpu/tile.inc"

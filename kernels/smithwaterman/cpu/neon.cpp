// Arm with NEON: 8 cells side by side.
#define GKL_SHIM_BUILD kNeonBuild
#define GKL_SHIM_BUILD_NAME "neon"
#define GKL_SHIM_BYTES 16
#include "smithwaterman/cpu/lanes.inc"

// Arm with NEON: 16 cells of 8 bits or 8 of 16 bits side by side.
#define GKL_SHIM_BUILD kNeonBuild
#define GKL_SHIM_BUILD_NAME "neon"
#define GKL_SHIM_BYTES 16
#include "smithwaterman/cpu/lanes.inc"

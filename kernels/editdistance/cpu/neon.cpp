// Arm with NEON: 8 pairs side by side.
#define GKL_SHIM_BUILD kNeonBuild
#define GKL_SHIM_BUILD_NAME "neon"
#define GKL_SHIM_BYTES 16
#include "editdistance/cpu/lanes.inc"

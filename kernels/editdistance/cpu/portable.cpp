// Any processor: 8 pairs side by side.
#define GKL_SHIM_BUILD kPortableBuild
#define GKL_SHIM_BUILD_NAME "portable"
#define GKL_SHIM_BYTES 16
#include "editdistance/cpu/lanes.inc"

// Any processor. The other builds are tested against this one.
#define GKL_SHIM_BUILD kPortableBuild
#define GKL_SHIM_BUILD_NAME "portable"
#define GKL_SHIM_LANES_DOUBLE 2
#define GKL_SHIM_LANES_DOUBLE_NARROW 2
#define GKL_SHIM_ROWS 2
#include "pdhmm/cpu/build.inc"

// Any processor: the compiler lowers vectors to what there is. The other builds are tested against
// this one.
#define GKL_SHIM_BUILD kPortableBuild
#define GKL_SHIM_BUILD_NAME "portable"
#define GKL_SHIM_BYTES 16
#include "prefilter/cpu/lanes.inc"

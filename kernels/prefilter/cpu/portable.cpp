// Any processor. The compiler translates vectors to the instructions there are. The other builds
// are tested against this one.
#define GKL_SHIM_BUILD kPortableBuild
#define GKL_SHIM_BUILD_NAME "portable"
#define GKL_SHIM_BYTES 16
#include "prefilter/cpu/lanes.inc"

// Any processor. The compiler translates vectors to the instructions there are.
#define GKL_SHIM_BUILD kPortableBuild
#define GKL_SHIM_BUILD_NAME "portable"
#define GKL_SHIM_BYTES 16
#include "smithwaterman/cpu/lanes.inc"

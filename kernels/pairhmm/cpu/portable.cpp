// Any processor. The compiler translates vectors to the instructions there are, and fma to a
// library call if the processor has none. The other builds are tested against this one.
#define GKL_SHIM_BUILD kPortableBuild
#define GKL_SHIM_BUILD_NAME "portable"
#define GKL_SHIM_LANES_SINGLE 4
#define GKL_SHIM_LANES_SINGLE_NARROW 4
#define GKL_SHIM_LANES_DOUBLE 2
#define GKL_SHIM_LANES_DOUBLE_NARROW 2
#define GKL_SHIM_ROWS 2
#include "pairhmm/cpu/build.inc"

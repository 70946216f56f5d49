// What one CPU build offers to engine.cpp: a struct of functions. Each instruction set has its own
// build, compiled from cpu/build.cpp.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "hmm/cpu/build.h"
#include "hmm/pdhmm/model.h"
#include "hmm/pdhmm/plan.h"

namespace gkl_shim {
namespace pdhmm {

struct CpuBuild {
    const char *name;
    TileKernels<PlanView> kernels;
};

extern const CpuBuild kPortableBuild, kAvx2Build, kAvx512Build, kNeonBuild;

}  // namespace pdhmm
}  // namespace gkl_shim

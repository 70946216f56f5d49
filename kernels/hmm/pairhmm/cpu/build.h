// What one CPU build offers to engine.cpp: a struct of functions. Each instruction set has its own
// build, compiled from cpu/build.cpp.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "hmm/cpu/build.h"
#include "hmm/pairhmm/model.h"
#include "hmm/pairhmm/plan.h"

namespace gkl_shim {
namespace pairhmm {

// The last resort: plain double precision with rescaling, one haplotype at a time.
struct RescaledKernel {
    int lanes;
    size_t (*workspace)(int32_t rows, const Letters &haplotype);  // in bytes
    // out[lane] = log10 likelihood; -Infinity only if the model itself gives zero
    void (*compute)(const Tile &tile, const Letters &haplotype, void *workspace, double *out);
};

struct CpuBuild {
    const char *name;
    TileKernels<PlanView> single_precision, double_precision;
    RescaledKernel rescaled_wide, rescaled_single;
};

extern const CpuBuild kPortableBuild, kAvx2Build, kAvx512Build, kNeonBuild;

}  // namespace pairhmm
}  // namespace gkl_shim

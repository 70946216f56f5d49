// What one CPU build offers to engine.cpp: a struct of functions. Each instruction set has its own
// build, compiled from cpu/build.inc.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "hmm/cpu/build.h"
#include "pairhmm/model.h"
#include "pairhmm/plan.h"

namespace gkl_shim {
namespace pairhmm {

typedef TileKernelOf<PlanView> TileKernel;

// The last resort: plain double precision with rescaling, one haplotype at a time.
struct RescaledKernel {
    int lanes;
    size_t (*workspace)(int32_t rows, const Letters &haplotype);  // in bytes
    // out[lane] = log10 likelihood; -Infinity only if the model itself gives zero
    void (*compute)(const Tile &tile, const Letters &haplotype, void *workspace, double *out);
};

struct CpuBuild {
    const char *name;
    // Narrow kernels are for tiles of few reads. They halve the work on processors that split a
    // wide operation in two, and cost the same elsewhere. Lone kernels take one read and use the
    // least memory.
    TileKernel single_wide, single_narrow, double_wide, double_narrow, double_lone;
    RescaledKernel rescaled_wide, rescaled_lone;
};

extern const CpuBuild kPortableBuild, kAvx2Build, kAvx512Build, kNeonBuild;

}  // namespace pairhmm
}  // namespace gkl_shim

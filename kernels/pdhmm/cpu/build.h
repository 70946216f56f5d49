// What one CPU build offers to engine.cpp: a struct of functions. Each instruction set has its own
// build, compiled from cpu/tile.inc.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "pdhmm/model.h"
#include "pdhmm/plan.h"

namespace gkl_shim {
namespace pdhmm {

// One read, as the caller gives it.
struct ReadView {
    const uint8_t *bases, *base_quals, *insertion_quals, *deletion_quals, *continuation_quals;
    int32_t length;
};

enum { kMaxLanes = 8 };

// Reads side by side, one a lane, at most as many as the build has lanes.
struct Tile {
    ReadView reads[kMaxLanes];  // longest first
    int32_t count;

    int32_t rows() const { return reads[0].length; }
};

// Computes a tile against all haplotypes of a plan.
struct TileKernel {
    int lanes;
    // The size of the workspace in bytes, which is aligned to 64.
    size_t (*workspace)(int32_t rows, const PlanView &plan);
    // out[join * lanes + lane] = log10 likelihood, or NaN if it is not trusted
    void (*compute)(const Tile &tile, const PlanView &plan, void *workspace, double *out);
};

struct CpuBuild {
    const char *name;
    // The narrow kernel is for tiles of few reads, as in PairHMM. The lone kernel takes one read
    // and the least memory.
    TileKernel wide, narrow, lone;
};

extern const CpuBuild kPortableBuild, kAvx2Build, kAvx512Build, kNeonBuild;

}  // namespace pdhmm
}  // namespace gkl_shim

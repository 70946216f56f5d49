// What one CPU build offers to engine.cpp: a struct of functions. Each instruction set has its own
// build, compiled from cpu/tile.inc.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "pairhmm/model.h"
#include "pairhmm/plan.h"

namespace gkl_shim {
namespace pairhmm {

// One read. Its letters are encoded; its qualities are as given.
struct ReadView {
    const uint8_t *letters, *base_quals, *insertion_quals, *deletion_quals, *continuation_quals;
    int32_t length;
};

enum { kMaxLanes = 16 };

// Reads side by side, one a lane, at most as many as the build has lanes.
struct Tile {
    ReadView reads[kMaxLanes];  // longest first
    int32_t count;

    int32_t rows() const { return reads[0].length; }
};

// A thread's buffers for a tile, aligned to 64 bytes.
struct TileBuffers {
    void *coefficients, *workspace;
};

// Computes a tile against all haplotypes of a plan: set_up, compute, finish.
struct TileKernel {
    int lanes;
    // Sizes of both buffers in bytes.
    size_t (*coefficients)(int32_t rows);
    size_t (*workspace)(int32_t rows, const PlanView &plan);
    void (*set_up)(const Tile &tile, void *coefficients);
    void (*compute)(const Tile &tile, const PlanView &plan, const TileBuffers &buffers);
    // out[join * lanes + lane] = log10 likelihood, or NaN if it is not trusted
    void (*finish)(const Tile &tile, const PlanView &plan, const TileBuffers &buffers, double *out);
};

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

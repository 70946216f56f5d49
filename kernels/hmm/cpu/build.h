// What one CPU build offers to the CPU engine: a struct of functions. Each instruction set has its
// own build, compiled from cpu/build.cpp.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "hmm/plan.h"

namespace gkl_shim::hmm {

// One read. Its qualities are as the caller gives them.
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

// Computes a tile against all haplotypes of a plan.
struct TileKernel {
    int lanes;
    // Sizes of both buffers in bytes.
    size_t (*coefficients)(int32_t rows, const PlanView &plan);
    size_t (*workspace)(int32_t rows, const PlanView &plan);
    // out[join * lanes + lane] = log10 likelihood, or NaN if it is not trusted
    void (*compute)(const Tile &tile, const PlanView &plan, const TileBuffers &buffers,
                    double *out);
};

// The kernels of one model and precision. Narrow kernels are for tiles of few reads. They halve the
// work on processors that split a wide operation in two, and cost the same elsewhere. `least` uses
// the least memory: it takes one read if that saves memory, and otherwise is the narrow kernel
// again.
struct TileKernels {
    TileKernel wide, narrow, least;
};

// PairHMM's last resort: plain double precision with rescaling, one haplotype at a time.
struct RescaledKernel {
    int lanes;
    size_t (*workspace)(int32_t rows, const Letters &haplotype);  // in bytes
    // out[lane] = log10 likelihood; -Infinity only if the model itself gives zero
    void (*compute)(const Tile &tile, const Letters &haplotype, void *workspace, double *out);
};

struct CpuBuild {
    const char *name;
    TileKernels pairhmm_single, pairhmm_double, pdhmm;
    RescaledKernel rescaled_wide, rescaled_single;
};

extern const CpuBuild kPortableBuild, kAvx2Build, kAvx512Build, kNeonBuild;

}  // namespace gkl_shim::hmm

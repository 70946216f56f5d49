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

// The tails of a tile, which an idle thread can steal while the tile's own thread computes the
// heads. Both threads access this through the compiler's atomics, because kernels use no C++
// library.
struct SharedTails {
    int32_t rows_left;  // that still need their heads
    bool taken;

    // Returns true for the thread that is to compute the tails.
    bool take() { return !__atomic_exchange_n(&taken, true, __ATOMIC_ACQ_REL); }
};

// Computes a tile against all haplotypes of a plan: set_up, compute, finish.
//
// If another thread has stolen the tails, compute() does the heads alone. The other thread calls
// save_tails() with buffers of its own, and then join() combines what it saved with the heads. The
// bits are the same.
struct TileKernel {
    int lanes;
    // Sizes in bytes: of both buffers, and of saved tails.
    size_t (*coefficients)(int32_t rows);
    size_t (*workspace)(int32_t rows, const PlanView &plan);
    size_t (*saved_tails)(int32_t rows, const PlanView &plan);
    void (*set_up)(const Tile &tile, void *coefficients);
    // Returns whether it has computed the tails too.
    bool (*compute)(const Tile &tile, const PlanView &plan, const TileBuffers &buffers,
                    SharedTails *tails);
    void (*save_tails)(const Tile &tile, const PlanView &plan, const TileBuffers &buffers,
                       void *saved);
    void (*join)(const Tile &tile, const PlanView &plan, const TileBuffers &buffers,
                 const void *saved);
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

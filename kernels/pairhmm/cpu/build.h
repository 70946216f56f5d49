// What a CPU build of the engine offers to engine.cpp: one struct of functions for each instruction
// set, all compiled from cpu/tile.inc.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "pairhmm/model.h"
#include "pairhmm/plan.h"

namespace gkl_shim {
namespace pairhmm {

// One read, its letters encoded; qualities as they came.
struct ReadView {
    const uint8_t *letters, *base_quals, *insertion_quals, *deletion_quals, *continuation_quals;
    int32_t length;
};

enum { kMaxLanes = 16 };

// Up to a build's number of lanes of reads, side by side.
struct Tile {
    ReadView reads[kMaxLanes];  // the longest first
    int32_t count;

    int32_t rows() const { return reads[0].length; }
};

// What a thread computes a tile in, on 64-byte boundaries.
struct TileBuffers {
    void *coefficients, *workspace;
};

// A tile's tails, for another thread to take while the tile's own is at the heads. Read and written
// by both, with the compiler's atomics: kernels use no C++ library.
struct SharedTails {
    int32_t rows_left;  // of the heads
    bool taken;

    // Whether the calling thread is the one to compute them.
    bool take() { return !__atomic_exchange_n(&taken, true, __ATOMIC_ACQ_REL); }
};

// A way to compute a tile against all haplotypes of a plan: set_up, compute, close. Where another
// thread has taken the tails, compute does the heads alone, and meet what is left once the other
// has kept, with buffers of its own, what its tails meet the heads with. The bits are the same.
struct TileKernel {
    int lanes;
    // Bytes: of the two buffers, and of what is kept of tails.
    size_t (*coefficients)(int32_t rows);
    size_t (*workspace)(int32_t rows, const PlanView &plan);
    size_t (*kept)(int32_t rows, const PlanView &plan);
    void (*set_up)(const Tile &tile, void *coefficients);
    // Returns whether the tails are done, too.
    bool (*compute)(const Tile &tile, const PlanView &plan, const TileBuffers &buffers,
                    SharedTails *tails);
    void (*keep_tails)(const Tile &tile, const PlanView &plan, const TileBuffers &buffers,
                       void *kept);
    void (*meet)(const Tile &tile, const PlanView &plan, const TileBuffers &buffers,
                 const void *kept);
    // out[join * lanes + lane] = log10 likelihood, or NaN where it is not to be trusted
    void (*close)(const Tile &tile, const PlanView &plan, const TileBuffers &buffers, double *out);
};

// The last resort, one haplotype at a time.
struct RescaledKernel {
    int lanes;
    size_t (*workspace)(int32_t rows, const Letters &haplotype);  // bytes
    // out[lane] = log10 likelihood, -Infinity only where the model itself gives zero
    void (*compute)(const Tile &tile, const Letters &haplotype, void *workspace, double *out);
};

struct CpuBuild {
    const char *name;
    // Narrow kernels take tiles of few reads: where a wide operation is split in two they halve
    // the work, elsewhere they cost the same. Lone kernels take one read, in the least memory.
    TileKernel single_wide, single_narrow, double_wide, double_narrow, double_lone;
    RescaledKernel rescaled_wide, rescaled_lone;
};

extern const CpuBuild kPortableBuild, kAvx2Build, kAvx512Build, kNeonBuild;

}  // namespace pairhmm
}  // namespace gkl_shim

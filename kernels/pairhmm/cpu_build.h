// What a CPU build of the engine offers to cpu.cpp: one struct of functions for each instruction
// set, all compiled from cpu_tile.inc.
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

// Up to a build's number of lanes of reads, side by side, against the haplotypes of a trie.
struct Tile {
    const ReadView *reads[kMaxLanes];
    int32_t count;
    int32_t rows;  // the longest read's length
    const Branch *branches;
    int32_t branch_count, slots;
    const uint8_t *letters;  // of the trie's columns
    int64_t columns;
};

struct TileKernel {
    int lanes;
    size_t (*workspace)(const Tile &tile);  // bytes, on a 64-byte boundary
    // sums[leaf * lanes + lane] = START x n x likelihood
    void (*compute)(const Tile &tile, void *workspace, double *sums);
};

struct CpuBuild {
    const char *name;
    // Narrow kernels take tiles of few reads: where a wide operation is split in two they halve
    // the work, elsewhere they cost the same.
    TileKernel single_wide, single_narrow, double_wide, double_narrow;
    // out = log10 likelihood for each sum and haplotype length, or NaN where the sum is not to be
    // trusted.
    void (*close_single)(const double *sums, const double *lengths, int64_t count, double *out);
    void (*close_double)(const double *sums, const double *lengths, int64_t count, double *out);
    // The last resort: a tile whose trie is one haplotype of the given length; out[lane] = log10
    // likelihood, -Infinity only where the model itself gives zero.
    int rescaled_lanes;
    size_t (*rescaled_workspace)(const Tile &tile);
    void (*compute_rescaled)(const Tile &tile, void *workspace, double length, double *out);
};

extern const CpuBuild kPortableBuild, kAvx2Build, kAvx512Build, kNeonBuild;

}  // namespace pairhmm
}  // namespace gkl_shim

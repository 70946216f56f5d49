// Limits on the memory of PairHMM's CPU engine, in addition to those in hmm/cpu/memory.h.
// gkl_shim.h states their sum.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "hmm/cpu/memory.h"
#include "pairhmm/cpu/build.h"

namespace gkl_shim {
namespace pairhmm {

// In a chunk, a region counts as this many bases for what is kept of it.
constexpr int64_t kRegionBases = 512;

// A larger region is computed in pieces. A single haplotype may have more letters than a piece.
constexpr int64_t kPieceReads = 1 << 16, kPieceHaplotypes = 1 << 14, kPieceLetters = 1 << 22;

// About the most cells of a tile, unless one haplotype has more. A thread computes them within a
// second, and a call can end early only between tiles.
constexpr int64_t kTileCells = int64_t(1) << 32;

// About how many bytes are kept of each.
constexpr int64_t kBytesPerRead = 8, kBytesPerHaplotype = 192, kBytesPerLetter = 3;

// Bytes that a tile takes for its haplotypes.
inline size_t tile_bytes(const TileKernel &kernel, int32_t rows, const PlanView &plan) {
    return kernel.workspace(rows, plan) +
           size_t(plan.join_count) * size_t(kernel.lanes) * sizeof(double);
}

// Whether a read this long may share a tile with others, with any haplotype.
inline bool fits(const TileKernel &kernel, int32_t rows) {
    PlanView plan = {};  // of the longest haplotype alone
    plan.heads.columns = plan.tails.columns = (GKL_SHIM_PAIRHMM_LONGEST_HAPLOTYPE + 1) / 2;
    plan.heads.leaves = plan.tails.leaves = plan.join_count = 1;
    plan.heads.branch_count = plan.tails.branch_count = 1;
    return kernel.coefficients(rows, plan) + kernel.workspace(rows, plan) <= kLongReadBytes;
}

// How many reads of at most this many rows are computed side by side in double precision.
inline int32_t double_lanes(const CpuBuild &build, int32_t rows) {
    for (const TileKernel *kernel : {&build.double_wide, &build.double_narrow})
        if (fits(*kernel, rows)) return kernel->lanes;
    return build.double_lone.lanes;
}

inline const TileKernel &double_kernel(const CpuBuild &build, int32_t rows, int32_t reads) {
    if (reads > build.double_narrow.lanes) return build.double_wide;
    return fits(build.double_narrow, rows) ? build.double_narrow : build.double_lone;
}

inline const TileKernel &single_kernel(const CpuBuild &build, int32_t reads) {
    return reads > build.single_narrow.lanes ? build.single_wide : build.single_narrow;
}

// The kernel for reads of at most this many rows and haplotypes of at most this length.
inline const RescaledKernel &rescaled_kernel(const CpuBuild &build, int32_t rows,
                                             int64_t longest_haplotype) {
    const Letters haplotype = {nullptr, longest_haplotype};
    return build.rescaled_wide.workspace(rows, haplotype) <= kLongReadBytes ? build.rescaled_wide
                                                                            : build.rescaled_lone;
}

}  // namespace pairhmm
}  // namespace gkl_shim

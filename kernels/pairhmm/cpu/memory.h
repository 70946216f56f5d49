// How much memory the CPU engine takes at most, whatever the shape of a batch. gkl_shim.h states
// the sum.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "pairhmm/cpu/build.h"

namespace gkl_shim {
namespace pairhmm {

// A thread's buffer over this size is given back after use, and so are a caller's plans.
constexpr size_t kKeptBytes = size_t(32) << 20;

// A tile takes this much for its haplotypes, with what Scratch adds no more than is kept. Where
// it would take more, the haplotypes are divided.
constexpr size_t kTileBytes = size_t(24) << 20;

// A tile of long reads takes this much for one haplotype. Where it would take more, fewer reads are
// computed side by side. A lone read of the greatest length takes twice as much.
constexpr size_t kLongReadBytes = size_t(64) << 20;

// The tails of a tile are offered to another thread only where it keeps no more of them.
constexpr size_t kTailBytes = size_t(8) << 20;

// Regions are computed in chunks: enough for all threads, little enough that memory does not grow
// with the batch. A chunk is counted in bases; what is kept of a sequence and of a region counts as
// so many.
constexpr int64_t kChunkBases = int64_t(3) << 19, kSequenceBases = 64, kRegionBases = 512;

// A region of more is computed in pieces. A single haplotype may have more letters.
constexpr int64_t kPieceReads = 1 << 16, kPieceHaplotypes = 1 << 14, kPieceLetters = 1 << 22;

// What is kept of each, about, in bytes.
constexpr int64_t kBytesPerRead = 8, kBytesPerHaplotype = 192, kBytesPerLetter = 3;

// What a tile takes for its haplotypes.
inline size_t tile_bytes(const TileKernel &kernel, int32_t rows, const PlanView &plan) {
    return kernel.workspace(rows, plan) +
           size_t(plan.join_count) * size_t(kernel.lanes) * sizeof(double);
}

// A plan that takes as much memory as any of so many haplotypes with so many letters.
inline PlanView largest_plan(int64_t haplotypes, int64_t letters) {
    PlanView plan = {};
    plan.heads.columns = plan.tails.columns = int32_t((letters + haplotypes) / 2);
    plan.heads.leaves = plan.tails.leaves = plan.join_count = int32_t(haplotypes);
    plan.heads.slots = plan.tails.slots = int32_t(haplotypes) - 1;
    plan.heads.branch_count = plan.tails.branch_count = int32_t(2 * haplotypes - 1);
    return plan;
}

// Whether so long a read may be computed beside others.
inline bool fits(const TileKernel &kernel, int32_t rows) {
    const PlanView plan = largest_plan(1, GKL_SHIM_PAIRHMM_LONGEST_HAPLOTYPE);
    return kernel.coefficients(rows) + kernel.workspace(rows, plan) <= kLongReadBytes;
}

// How many reads of this length, or shorter ones, are computed side by side in double precision.
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

// With rescaling, against haplotypes of which this is the longest.
inline const RescaledKernel &rescaled_kernel(const CpuBuild &build, int32_t rows,
                                             int64_t longest_haplotype) {
    const Letters haplotype = {nullptr, longest_haplotype};
    return build.rescaled_wide.workspace(rows, haplotype) <= kLongReadBytes ? build.rescaled_wide
                                                                            : build.rescaled_lone;
}

}  // namespace pairhmm
}  // namespace gkl_shim

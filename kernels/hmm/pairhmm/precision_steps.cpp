// PairHMM on the CPU: three steps of rising precision. A pair whose result single precision is not
// trusted with is computed again in double precision, and if need be with rescaling.
#include <algorithm>

#include "hmm/cpu/engine.h"
#include "hmm/on_cpu.h"

namespace gkl_shim::hmm {
namespace {

// Sorting a haplotype's letters is most of planning.
constexpr int64_t kCellsPerNanosecond = 6, kCellsPerLetter = 16;

// The kernel with rescaling for reads of at most this many rows and all haplotypes of a piece.
const RescaledKernel &rescaled_kernel(const CpuBuild &build, int32_t rows, const Piece &piece) {
    Letters longest = {};
    for (const Haplotype &haplotype : piece.haplotypes())
        longest.length = std::max(longest.length, haplotype.length);
    return build.rescaled_wide.workspace(rows, longest) <= kLongReadBytes ? build.rescaled_wide
                                                                          : build.rescaled_single;
}

void compute_steps(Engine &engine, gkl_shim_pairhmm_stats *counts) {
    const CpuSettings &settings = engine.settings();
    const CpuBuild &build = *settings.build;
    const bool single = !settings.double_precision && !settings.only_missing;
    if (single)
        engine.compute({build.pairhmm_single, Subnormals::kFlushed, pairhmm::kLongestSingleRead});
    const int64_t in_double = engine.compute({build.pairhmm_double, Subnormals::kKept});
    if (single) counts->rescued_pairs += in_double;
    if (in_double == 0) return;
    const auto lanes = [&](const Piece &piece, const HaplotypeSet &, int32_t rows) {
        return rescaled_kernel(build, rows, piece).lanes;
    };
    const auto compute = [&](const TileTask &task, const Tile &tile, const Haplotype &haplotype,
                             double *results) {
        const RescaledKernel &kernel = rescaled_kernel(build, task.rows(), *task.piece);
        void *const workspace =
            engine.memory().workspace.get(kernel.workspace(tile.rows(), haplotype));
        kernel.compute(tile, haplotype, workspace, results);
    };
    counts->rescaled_pairs += engine.compute_haplotypes(lanes, compute);
}

}  // namespace

gkl_shim_pairhmm_stats compute_on_cpu(const CpuSettings &settings,
                                      const gkl_shim_pairhmm_batch &batch,
                                      double *log10_likelihoods) {
    const Call call = {
        settings,       batch, nullptr, settings.build->pairhmm_single, kCellsPerNanosecond,
        kCellsPerLetter};
    const ForOneCall<Engine> engine(engines);
    gkl_shim_pairhmm_stats counts = {};
    counts.computed_cells =
        engine->compute(call, log10_likelihoods, [&] { compute_steps(*engine, &counts); });
    return counts;
}

}  // namespace gkl_shim::hmm

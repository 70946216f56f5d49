// PDHMM on the CPU: one step, and the plain recurrence for pairs whose result is not trusted.
#include "hmm/cpu/engine.h"
#include "hmm/on_cpu.h"
#include "hmm/pdhmm/plain.h"

namespace gkl_shim::hmm {
namespace {

constexpr int64_t kCellsPerNanosecond = 3, kCellsPerLetter = 32;

// A cell of the plain recurrence takes as long as this many of the scaled one.
constexpr int64_t kPlainCost = 16;

void compute_steps(Engine &engine, gkl_shim_pairhmm_stats *counts) {
    const CpuSettings &settings = engine.settings();
    engine.compute({settings.build->pdhmm, Subnormals::kFlushed});
    const auto one_lane = [](const Piece &, const HaplotypeSet &, int32_t) { return 1; };
    const auto compute = [&](const TileTask &task, const Tile &tile, const Haplotype &haplotype,
                             double *results) {
        results[0] = pdhmm::plain_likelihood(settings.as_gkl, task.piece->alphabet(), tile.reads[0],
                                             haplotype);
    };
    counts->rescued_pairs += engine.compute_haplotypes(one_lane, compute, kPlainCost);
}

}  // namespace

gkl_shim_pairhmm_stats compute_on_cpu(const CpuSettings &settings,
                                      const gkl_shim_pdhmm_batch &batch,
                                      double *log10_likelihoods) {
    const Call call = {settings,
                       batch.pairs,
                       batch.haplotype_flags,
                       settings.build->pdhmm,
                       kCellsPerNanosecond,
                       kCellsPerLetter};
    const ForOneCall<Engine> engine(engines);
    gkl_shim_pairhmm_stats counts = {};
    counts.computed_cells =
        engine->compute(call, log10_likelihoods, [&] { compute_steps(*engine, &counts); });
    return counts;
}

}  // namespace gkl_shim::hmm

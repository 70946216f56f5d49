// PDHMM on the CPU: one step, and the plain recurrence for pairs whose result is not trusted.
#include <limits>

#include "hmm/cpu/engine.h"
#include "hmm/on_cpu.h"
#include "hmm/pdhmm/plain.h"

namespace gkl_shim::hmm {
namespace {

constexpr int64_t kCellsPerNanosecond = 3, kCellsPerLetter = 32;

// A cell of the plain recurrence takes as long as this many of the scaled one.
constexpr int64_t kPlainCost = 16;

const PerThread<pdhmm::PlainMemory> plain_memory;

void compute_plain(const Engine &engine, const TileTask &task) {
    engine.compute_missing(task, [&](const Tile &tile, int32_t h, double *results) {
        for (int32_t lane = 0; lane < tile.count; lane++)
            results[lane] = pdhmm::plain_likelihood(
                engine.settings().as_gkl, task.piece->alphabet(), tile.reads[lane],
                task.piece->haplotypes()[size_t(h)], &*plain_memory);
    });
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
    counts.computed_cells = engine->compute(call, log10_likelihoods, [&] {
        if (!engine->compute_all(std::numeric_limits<int32_t>::max())) return;
        counts.rescued_pairs +=
            engine->list_missing([](const Piece &, const HaplotypeSet &, int32_t) { return 1; });
        engine->for_each_tile([&](const TileTask &task) { compute_plain(*engine, task); },
                              kPlainCost);
    });
    return counts;
}

}  // namespace gkl_shim::hmm

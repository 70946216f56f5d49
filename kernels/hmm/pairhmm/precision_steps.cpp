// PairHMM on the CPU: three steps of rising precision. A pair whose result single precision is not
// trusted with is computed again in double precision, and if need be with rescaling.
#include <math.h>

#include <algorithm>

#include "hmm/cpu/engine.h"
#include "hmm/on_cpu.h"

namespace gkl_shim::hmm {
namespace {

// Sorting a haplotype's letters is most of planning.
constexpr int64_t kCellsPerNanosecond = 6, kCellsPerLetter = 16;

// A plan of some haplotypes of a set.
struct PartialPlan {
    Plan plan;
    std::vector<Haplotype> haplotypes;
};
const PerThread<PartialPlan> partial_plan;

void compute_in_double(const TileKernels &kernels, const Engine &engine, const TileTask &task) {
    TileMemory &memory = engine.memory();
    const std::vector<int32_t> &missing = engine.missing_haplotypes(task);
    const Plan *plan = &task.set->plan;
    if (missing.size() < plan->join_of.size()) {
        PartialPlan &part = *partial_plan;
        part.haplotypes.resize(missing.size());
        for (size_t k = 0; k < missing.size(); k++)
            part.haplotypes[k] = task.piece->haplotypes()[size_t(missing[k])];
        memory.planners.pairhmm.make(part.haplotypes.data(), int64_t(missing.size()), &part.plan);
        plan = &part.plan;
    }
    const Tile tile = engine.make_tile(task);
    const PlanView view = plan->view();
    const TileKernel &kernel = kernel_for(kernels, tile.rows(), tile.count, view);
    const double *computed = memory.compute(kernel, tile, view);
    for (int32_t lane = 0; lane < task.count; lane++)
        for (size_t k = 0; k < missing.size(); k++) {
            double &result = task.result(lane, missing[k]);
            if (isnan(result)) result = computed[plan->join_of[k] * kernel.lanes + lane];
        }
}

// The kernel with rescaling for reads of at most this many rows and all haplotypes of a piece.
const RescaledKernel &rescaled_kernel(const CpuBuild &build, int32_t rows, const Piece &piece) {
    Letters longest = {};
    for (const Haplotype &haplotype : piece.haplotypes())
        longest.length = std::max(longest.length, haplotype.length);
    return build.rescaled_wide.workspace(rows, longest) <= kLongReadBytes ? build.rescaled_wide
                                                                          : build.rescaled_single;
}

void compute_rescaled(const CpuBuild &build, const Engine &engine, const TileTask &task) {
    const RescaledKernel &kernel = rescaled_kernel(build, task.rows(), *task.piece);
    engine.compute_missing(task, [&](const Tile &tile, int32_t h, double *results) {
        const Haplotype &haplotype = task.piece->haplotypes()[size_t(h)];
        void *const workspace =
            engine.memory().workspace.get(kernel.workspace(tile.rows(), haplotype));
        kernel.compute(tile, haplotype, workspace, results);
    });
}

void compute_steps(Engine &engine, gkl_shim_pairhmm_stats *counts) {
    const CpuSettings &settings = engine.settings();
    const CpuBuild &build = *settings.build;
    const auto double_lanes = [&](const Piece &, const HaplotypeSet &set, int32_t rows) {
        return lanes_for(build.pairhmm_double, rows, set.plan.view());
    };
    const auto rescaled_lanes = [&](const Piece &piece, const HaplotypeSet &, int32_t rows) {
        return rescaled_kernel(build, rows, piece).lanes;
    };
    if (settings.double_precision || settings.only_missing) {
        if (!settings.only_missing) engine.mark_all();
        engine.list_missing(double_lanes);
    } else {
        if (!engine.compute_all(pairhmm::kLongestSingleRead)) return;
        counts->rescued_pairs += engine.list_missing(double_lanes);
    }
    engine.for_each_tile(
        [&](const TileTask &task) { compute_in_double(build.pairhmm_double, engine, task); });
    counts->rescaled_pairs += engine.list_missing(rescaled_lanes);
    engine.for_each_tile([&](const TileTask &task) { compute_rescaled(build, engine, task); });
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

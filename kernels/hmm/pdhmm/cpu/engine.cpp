// PDHMM's part of the CPU engine: one step, and the plain recurrence for pairs whose result is not
// trusted.
#include "hmm/pdhmm/cpu/engine.h"

#include <limits>
#include <memory>
#include <vector>

#include "hmm/cpu/engine.h"
#include "hmm/pdhmm/cpu/plain.h"

namespace gkl_shim {
namespace pdhmm {
namespace {

struct Call : CpuSettings {
    const gkl_shim_pairhmm_batch &batch;
    const uint8_t *haplotype_flags;

    const TileKernels<PlanView> &kernels() const { return build->kernels; }
};

// The haplotypes of a piece, and what the letters of its region mean.
class Haplotypes {
   public:
    void begin(const Call &call, const Bounds &bounds, Planner *) {
        const gkl_shim_pairhmm_batch &batch = call.batch;
        const int64_t *offsets = batch.haplotype_offsets;
        const int64_t *region = batch.region_haplotypes + bounds.region;
        const int64_t letters = offsets[region[0]];
        alphabet = make_alphabet(call.as_gatk, batch.haplotype_bases + letters,
                                 offsets[region[1]] - letters);
        list.resize(size_t(bounds.haplotypes));
        offsets += bounds.first_haplotype;
        for (size_t h = 0; h < list.size(); h++)
            list[h] = {batch.haplotype_bases + offsets[h], call.haplotype_flags + offsets[h],
                       offsets[h + 1] - offsets[h]};
    }

    bool plan(int32_t first, int32_t count, Planner *planner, Plan *plan) const {
        return planner->make(alphabet, list.data() + first, count, plan);
    }

    Alphabet alphabet;
    std::vector<Haplotype> list;
};

struct Method {
    typedef pdhmm::Call Call;
    typedef pdhmm::Haplotypes Haplotypes;
    typedef pdhmm::Planner Planner;
    typedef pdhmm::Plan Plan;
    typedef pdhmm::PlanView PlanView;
    typedef PlainMemory Memory;
    static constexpr int64_t kCellsPerNanosecond = 3, kCellsPerLetter = 32;
};

// A cell of the plain recurrence takes as long as this many of the scaled one.
constexpr int64_t kPlainCost = 16;

class PdHmmEngine : public Engine<Method> {
   public:
    int64_t rescued_pairs;

   private:
    void compute_pieces() override {
        if (!compute_all(std::numeric_limits<int32_t>::max())) return;
        rescued_pairs += list_missing([](const Piece &, const Set &, int32_t) { return 1; });
        for_each_tile([this](const Task &task) { compute_plain(task); }, kPlainCost);
    }

    void compute_plain(const Task &task) {
        const Haplotypes &haplotypes = task.piece->haplotypes();
        compute_missing(task, [&](const Tile &tile, int32_t h, double *results) {
            for (int32_t lane = 0; lane < tile.count; lane++)
                results[lane] =
                    plain_likelihood(call().as_gatk, haplotypes.alphabet, tile.reads[lane],
                                     haplotypes.list[size_t(h)], &memory().further);
        });
    }
};

// A caller's engine, which keeps its memory between calls.
PerThread<std::unique_ptr<PdHmmEngine>> engines;

}  // namespace

const Builds<CpuBuild> &cpu_builds() {
    static const Builds<CpuBuild> builds(GKL_SHIM_COMPILED_BUILDS);
    return builds;
}

CpuCounts compute_on_cpu(const CpuSettings &settings, const gkl_shim_pdhmm_batch &batch,
                         double *log10_likelihoods) {
    const ForOneCall<PdHmmEngine> engine(engines);
    engine->rescued_pairs = 0;
    const int64_t computed_cells =
        engine->compute({settings, batch.pairs, batch.haplotype_flags}, log10_likelihoods);
    return {computed_cells, engine->rescued_pairs};
}

}  // namespace pdhmm
}  // namespace gkl_shim

// PairHMM's part of the CPU engine: three steps of rising precision. A pair whose result single
// precision is not trusted with is computed again in double precision, and if need be with
// rescaling.
#include "hmm/cpu/engine.h"

#include <math.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "hmm/letters.h"
#include "hmm/pairhmm/cpu/build.h"
#include "hmm/pairhmm/on_cpu.h"

namespace gkl_shim {
namespace pairhmm {
namespace {

struct Call : CpuSettings {
    const gkl_shim_pairhmm_batch &batch;

    const TileKernels<PlanView> &kernels() const { return build->single_precision; }
};

// The haplotypes of a piece, encoded.
class Haplotypes {
   public:
    void begin(const Call &call, const Bounds &bounds, Planner *planner) {
        const int64_t *ends = call.batch.haplotype_offsets + bounds.first_haplotype;
        const int64_t count = ends[bounds.haplotypes] - ends[0];
        letters_.resize(size_t(count));
        encode(call.as_gkl, call.batch.haplotype_bases + ends[0], count, letters_.data());
        list.resize(size_t(bounds.haplotypes));
        for (size_t h = 0; h < list.size(); h++)
            list[h] = {letters_.data() + (ends[h] - ends[0]), ends[h + 1] - ends[h]};
        // A region whose haplotypes are in several pieces keeps the cuts in the middle.
        static_assert(kPieceHaplotypes >= Cutter::kMaxHaplotypes, "a region has cuts in pieces");
        if (bounds.haplotypes == bounds.per_row) planner->cut(list.data(), bounds.haplotypes);
    }

    bool plan(int32_t first, int32_t count, Planner *planner, Plan *plan) const {
        planner->make(list.data() + first, count, plan);
        return true;
    }

    int64_t longest() const {
        int64_t most = 0;
        for (const Haplotype &haplotype : list) most = std::max(most, haplotype.length);
        return most;
    }

    std::vector<Haplotype> list;

   private:
    std::vector<uint8_t> letters_;
};

// A plan of some haplotypes of a set.
struct PartialPlan {
    Plan plan;
    std::vector<Haplotype> haplotypes;
};

struct Method {
    typedef pairhmm::Call Call;
    typedef pairhmm::Haplotypes Haplotypes;
    typedef pairhmm::Planner Planner;
    typedef hmm::Plan Plan;
    typedef hmm::PlanView PlanView;
    typedef PartialPlan Memory;
    // Sorting a haplotype's letters is most of planning.
    static constexpr int64_t kCellsPerNanosecond = 6, kCellsPerLetter = 16;
};

class PairHmmEngine : public Engine<Method> {
   public:
    CpuCounts counts;

   private:
    bool skips(const Piece &piece) override {
        return call().only_missing && piece.reads().complete();
    }

    void compute_pieces() override {
        const CpuBuild &build = *call().build;
        const auto double_lanes = [&](const Piece &, const Set &set, int32_t rows) {
            return lanes_for(build.double_precision, rows, set.plan.view());
        };
        const auto rescaled_lanes = [&](const Piece &piece, const Set &, int32_t rows) {
            return rescaled_kernel(rows, piece).lanes;
        };
        if (call().double_precision || call().only_missing) {
            if (!call().only_missing) mark_all();
            list_missing(double_lanes);
        } else {
            if (!compute_all(kLongestSingleRead)) return;
            counts.rescued_pairs += list_missing(double_lanes);
        }
        for_each_tile([this](const Task &task) { compute_in_double(task); });
        counts.rescaled_pairs += list_missing(rescaled_lanes);
        for_each_tile([this](const Task &task) { compute_rescaled(task); });
    }

    void encode(Tile *tile) override {
        size_t size = 0;
        for (int32_t lane = 0; lane < tile->count; lane++) size += size_t(tile->reads[lane].length);
        uint8_t *to = static_cast<uint8_t *>(memory().letters.get(size));
        for (int32_t lane = 0; lane < tile->count; lane++) {
            ReadView &read = tile->reads[lane];
            hmm::encode(call().as_gkl, read.letters, read.length, to);
            read.letters = to;
            to += read.length;
        }
    }

    void compute_in_double(const Task &task) {
        TileMemory<Method> &memory = this->memory();
        const std::vector<int32_t> &missing = missing_haplotypes(task);
        const Plan *plan = &task.set->plan;
        if (missing.size() < plan->join_of.size()) {
            PartialPlan &part = memory.further;
            part.haplotypes.resize(missing.size());
            for (size_t k = 0; k < missing.size(); k++)
                part.haplotypes[k] = task.piece->haplotypes().list[size_t(missing[k])];
            memory.planner.make(part.haplotypes.data(), int64_t(missing.size()), &part.plan);
            plan = &part.plan;
        }
        const Tile tile = make_tile(task);
        const PlanView view = plan->view();
        const auto &kernel =
            kernel_for(call().build->double_precision, tile.rows(), tile.count, view);
        const double *computed = memory.compute(kernel, tile, view);
        for (int32_t lane = 0; lane < task.count; lane++)
            for (size_t k = 0; k < missing.size(); k++) {
                double &result = task.result(lane, missing[k]);
                if (isnan(result)) result = computed[plan->join_of[k] * kernel.lanes + lane];
            }
    }

    void compute_rescaled(const Task &task) {
        const RescaledKernel &kernel = rescaled_kernel(task.rows(), *task.piece);
        compute_missing(task, [&](const Tile &tile, int32_t h, double *results) {
            const Haplotype &haplotype = task.piece->haplotypes().list[size_t(h)];
            void *const workspace =
                memory().workspace.get(kernel.workspace(tile.rows(), haplotype));
            kernel.compute(tile, haplotype, workspace, results);
        });
    }

    // The kernel for reads of at most this many rows and all haplotypes of a piece.
    const RescaledKernel &rescaled_kernel(int32_t rows, const Piece &piece) const {
        const CpuBuild &build = *call().build;
        const Letters longest = {nullptr, piece.haplotypes().longest()};
        return build.rescaled_wide.workspace(rows, longest) <= kLongReadBytes
                   ? build.rescaled_wide
                   : build.rescaled_single;
    }
};

// A caller's engine, which keeps its memory between calls.
PerThread<std::unique_ptr<PairHmmEngine>> engines;

}  // namespace

const Builds<CpuBuild> &cpu_builds() {
    static const Builds<CpuBuild> builds(GKL_SHIM_COMPILED_BUILDS);
    return builds;
}

CpuCounts compute_on_cpu(const CpuSettings &settings, const gkl_shim_pairhmm_batch &batch,
                         double *log10_likelihoods) {
    const ForOneCall<PairHmmEngine> engine(engines);
    engine->counts = {};
    engine->counts.computed_cells = engine->compute({settings, batch}, log10_likelihoods);
    return engine->counts;
}

}  // namespace pairhmm
}  // namespace gkl_shim

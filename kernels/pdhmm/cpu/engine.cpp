// The flow of the CPU engine: it plans the regions of a chunk, lists their tiles, and computes the
// tiles. A pair whose result is not trusted is computed again with the plain recurrence, by the
// thread that has computed its tile.
#include "pdhmm/cpu/engine.h"

#include <math.h>

#include <algorithm>
#include <atomic>
#include <vector>

#include "common/floating_point_mode.h"
#include "common/per_thread.h"
#include "common/scratch.h"
#include "common/thread_pool.h"
#include "hmm/cpu/memory.h"
#include "pdhmm/cpu/plain.h"

namespace gkl_shim {
namespace pdhmm {
namespace {

// The cells that a thread computes in a nanosecond, about, set-up included. Planning a letter of a
// haplotype costs about as much as 32 cells.
constexpr int64_t kCellsPerNanosecond = 3, kCellsPerPlannedLetter = 32;

// Haplotypes of a region that are computed together, usually all of them.
struct HaplotypeSet {
    int64_t first, count;
    bool planned;  // if not, it is one haplotype, and the plain recurrence computes it
    Plan plan;
};

// A region on its way through the engine.
struct Region {
    int64_t first_read, reads, first_haplotype, haplotypes;
    double *out;
    Alphabet alphabet;
    std::vector<int32_t> order;  // the reads, longest first
    std::vector<HaplotypeSet> sets;
};

// Reads of a region that are computed side by side against one set of its haplotypes.
struct TileTask {
    const Region *region;
    const HaplotypeSet *set;
    const TileKernel *kernel;  // null if the set is not planned
    const int32_t *reads;
    int32_t count;
};

struct ThreadMemory {
    Scratch coefficients, workspace, results;
    PlainMemory plain;
    Planner planner;

    void trim() {
        for (Scratch *buffer : {&coefficients, &workspace, &results}) buffer->trim(kKeptBytes);
        planner.trim(kKeptBytes);
    }
};
PerThread<ThreadMemory> thread_memory;

class Chunk {
   public:
    Chunk(const CpuSettings &settings, const gkl_shim_pdhmm_batch &batch)
        : settings_(settings), batch_(batch) {}

    // Adds a region, and computes the chunk once it is large enough.
    void add(int64_t region, double *out) {
        const gkl_shim_pairhmm_batch &b = batch_.pairs;
        Region next = {};
        next.first_read = b.region_reads[region];
        next.reads = b.region_reads[region + 1] - next.first_read;
        next.first_haplotype = b.region_haplotypes[region];
        next.haplotypes = b.region_haplotypes[region + 1] - next.first_haplotype;
        next.out = out;
        if (next.reads == 0 || next.haplotypes == 0) return;
        regions_.push_back(std::move(next));
        const int64_t letters = b.haplotype_offsets[b.region_haplotypes[region + 1]] -
                                b.haplotype_offsets[b.region_haplotypes[region]];
        letters_ += letters;
        bases_ += letters + b.read_offsets[b.region_reads[region + 1]] -
                  b.read_offsets[b.region_reads[region]] +
                  (regions_.back().reads + regions_.back().haplotypes) * kSequenceBases;
        if (bases_ >= kChunkBases) finish();
    }

    // Computes the last, incomplete chunk.
    void finish() {
        if (regions_.empty()) return;
        parallel(int64_t(regions_.size()), letters_ * kCellsPerPlannedLetter, &Chunk::plan);
        const int64_t cells = list_tiles();
        parallel(int64_t(tiles_.size()), cells, &Chunk::compute);
        counts_.computed_cells += cells;
        regions_.clear();
        letters_ = bases_ = 0;
    }

    CpuCounts counts() const { return {counts_.computed_cells, rescued_pairs_}; }

   private:
    typedef void (Chunk::*Step)(int64_t k);

    void parallel(int64_t count, int64_t cells, Step step) {
        parallel_for(count, cells / kCellsPerNanosecond, settings_.threads, [&](int64_t k) {
            const struct Trim {
                ~Trim() { memory.trim(); }
                ThreadMemory &memory;
            } at_the_end{*thread_memory};
            (this->*step)(k);
        });
    }

    int64_t read_length(const Region &region, int64_t read) const {
        const int64_t *offsets = batch_.pairs.read_offsets + region.first_read;
        return offsets[read + 1] - offsets[read];
    }

    Haplotype haplotype(const Region &region, int64_t index) const {
        const int64_t *offsets = batch_.pairs.haplotype_offsets + region.first_haplotype;
        const int64_t at = offsets[index];
        return {batch_.pairs.haplotype_bases + at, batch_.haplotype_flags + at,
                offsets[index + 1] - at};
    }

    ReadView read(const Region &region, int64_t index) const {
        const gkl_shim_pairhmm_batch &b = batch_.pairs;
        const int64_t at = b.read_offsets[region.first_read + index];
        return {b.read_bases + at,         b.base_quals + at,
                b.insertion_quals + at,    b.deletion_quals + at,
                b.continuation_quals + at, int32_t(read_length(region, index))};
    }

    void plan(int64_t k) {
        Region &region = regions_[size_t(k)];
        region.order.resize(size_t(region.reads));
        for (size_t r = 0; r < region.order.size(); r++) region.order[r] = int32_t(r);
        std::stable_sort(region.order.begin(), region.order.end(), [&](int32_t x, int32_t y) {
            return read_length(region, x) > read_length(region, y);
        });
        const int64_t *ends = batch_.pairs.haplotype_offsets + region.first_haplotype;
        region.alphabet = make_alphabet(settings_.as_gatk, batch_.pairs.haplotype_bases + ends[0],
                                        ends[region.haplotypes] - ends[0]);
        add_sets(&region, 0, region.haplotypes);
    }

    void add_sets(Region *region, int64_t first, int64_t count) {
        std::vector<Haplotype> haplotypes(static_cast<size_t>(count));
        for (int64_t h = 0; h < count; h++) haplotypes[size_t(h)] = haplotype(*region, first + h);
        region->sets.push_back({first, count, false, {}});
        HaplotypeSet &set = region->sets.back();
        set.planned =
            thread_memory->planner.make(region->alphabet, haplotypes.data(), count, &set.plan);
        const int32_t rows = int32_t(read_length(*region, region->order[0]));
        if (count == 1 ||
            (set.planned && bytes(settings_.build->wide, rows, set.plan) <= kTileBytes))
            return;
        region->sets.pop_back();
        add_sets(region, first, count / 2);
        add_sets(region, first + count / 2, count - count / 2);
    }

    static size_t bytes(const TileKernel &kernel, int32_t rows, const Plan &plan) {
        const PlanView view = plan.view();
        return kernel.coefficients(rows, view) + kernel.workspace(rows, view);
    }

    // Returns the number of cells of the tiles.
    int64_t list_tiles() {
        int64_t cells = 0;
        tiles_.clear();
        for (const Region &region : regions_)
            for (const HaplotypeSet &set : region.sets) {
                int32_t count;
                for (int64_t r = 0; r < region.reads; r += count) {
                    const int32_t *const reads = region.order.data() + r;
                    const int32_t rows = int32_t(read_length(region, reads[0]));
                    const TileKernel *const kernel =
                        set.planned ? &kernel_for(set.plan, rows, region.reads - r) : nullptr;
                    count =
                        int32_t(std::min<int64_t>(kernel ? kernel->lanes : 1, region.reads - r));
                    tiles_.push_back({&region, &set, kernel, reads, count});
                    const int64_t columns =
                        set.planned ? set.plan.columns() : haplotype(region, set.first).length;
                    for (int32_t lane = 0; lane < count; lane++)
                        cells += read_length(region, reads[lane]) * columns;
                }
            }
        return cells;
    }

    const TileKernel &kernel_for(const Plan &plan, int32_t rows, int64_t reads) const {
        const CpuBuild &build = *settings_.build;
        const auto fits = [&](const TileKernel &kernel) {
            return bytes(kernel, rows, plan) <= kLongReadBytes;
        };
        if (reads > build.narrow.lanes && fits(build.wide)) return build.wide;
        return reads > 1 && fits(build.narrow) ? build.narrow : build.lone;
    }

    void compute(int64_t k) {
        const TileTask &task = tiles_[size_t(k)];
        const Region &region = *task.region;
        ThreadMemory &memory = *thread_memory;
        Tile tile;
        tile.count = task.count;
        for (int32_t lane = 0; lane < task.count; lane++)
            tile.reads[lane] = read(region, task.reads[lane]);
        const double *const results = task.kernel ? computed(task, tile, &memory) : nullptr;
        int64_t rescued = 0;
        for (int32_t lane = 0; lane < task.count; lane++) {
            double *const out = region.out + task.reads[lane] * region.haplotypes;
            for (int64_t h = 0; h < task.set->count; h++) {
                double value =
                    results ? results[task.set->plan.join_of[size_t(h)] * task.kernel->lanes + lane]
                            : NAN;
                if (isnan(value)) {
                    value = plain_likelihood(settings_.as_gatk, region.alphabet, tile.reads[lane],
                                             haplotype(region, task.set->first + h), &memory.plain);
                    rescued++;
                }
                out[task.set->first + h] = value;
            }
        }
        if (rescued > 0) rescued_pairs_ += rescued;
    }

    // The kernel's results, [join][lane].
    static const double *computed(const TileTask &task, const Tile &tile, ThreadMemory *memory) {
        const TileKernel &kernel = *task.kernel;
        const PlanView plan = task.set->plan.view();
        const int32_t rows = tile.rows();
        const TileBuffers buffers = {memory->coefficients.get(kernel.coefficients(rows, plan)),
                                     memory->workspace.get(kernel.workspace(rows, plan))};
        double *const out = static_cast<double *>(
            memory->results.get(sizeof(double) * size_t(kernel.lanes) * size_t(plan.join_count)));
        const FloatingPointMode mode(Subnormals::kFlushed);
        kernel.compute(tile, plan, buffers, out);
        return out;
    }

    const CpuSettings &settings_;
    const gkl_shim_pdhmm_batch &batch_;
    std::vector<Region> regions_;
    std::vector<TileTask> tiles_;
    int64_t letters_ = 0, bases_ = 0;
    CpuCounts counts_;
    std::atomic<int64_t> rescued_pairs_{0};
};

}  // namespace

const Builds<CpuBuild> &cpu_builds() {
    static const Builds<CpuBuild> builds(GKL_SHIM_COMPILED_BUILDS);
    return builds;
}

CpuCounts compute_on_cpu(const CpuSettings &settings, const gkl_shim_pdhmm_batch &batch,
                         double *log10_likelihoods) {
    Chunk chunk(settings, batch);
    double *out = log10_likelihoods;
    const gkl_shim_pairhmm_batch &b = batch.pairs;
    for (int64_t g = 0; g < b.regions; g++) {
        chunk.add(g, out);
        out += (b.region_reads[g + 1] - b.region_reads[g]) *
               (b.region_haplotypes[g + 1] - b.region_haplotypes[g]);
    }
    chunk.finish();
    return chunk.counts();
}

}  // namespace pdhmm
}  // namespace gkl_shim

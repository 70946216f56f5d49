// The CPU engine's flow: regions are planned, their tiles computed in single precision, and the
// pairs whose result is not to be trusted computed again in double precision, then with rescaling.
// Each step is one parallel loop over a chunk of regions; a pair that still lacks its result is
// NaN.
#include "pairhmm/cpu/engine.h"

#include <math.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <memory>
#include <vector>

#include "common/cpu.h"
#include "common/floating_point_mode.h"
#include "common/per_thread.h"
#include "common/scratch.h"
#include "common/thread_pool.h"
#include "pairhmm/letters.h"

namespace gkl_shim {
namespace pairhmm {
namespace {

// A chunk of regions is planned and computed together: enough to keep all threads busy, little
// enough that memory does not grow with the batch.
constexpr int64_t kChunkBases = int64_t(1) << 20;

// About what a thread computes in a nanosecond, set-up included. Sorting a haplotype's letters
// costs about as much as 16 cells each.
constexpr int64_t kCellsPerNanosecond = 6, kCellsPerSortedLetter = 16;

// Computing a tile's tails in another thread than its heads costs a row as much as so many columns:
// it needs its coefficients twice, and what meets moves from one core to the other.
constexpr int64_t kTakingColumns = 32;
// And it is worth so many columns of a row at least: some 3 us.
constexpr int64_t kLeastGain = 2000;

// A thread's buffer over this size is given back after use.
constexpr size_t kKeptBytes = size_t(32) << 20;

struct ReadOrder {
    int32_t length, index;  // within its region, as given
    bool operator<(const ReadOrder &other) const {
        return length != other.length ? length > other.length : index < other.index;
    }
};

// What is written here is read by every thread, and costs a transfer between cores both ways: it is
// as little as possible.
struct Region {
    int64_t first_read;            // of the batch
    std::vector<ReadOrder> reads;  // longest first
    std::vector<uint8_t> letters;
    std::vector<Letters> haplotypes;
    double *out;  // [read as given][haplotype]
    Plan plan;
    int64_t read_bases;

    double *results(int32_t read) { return out + reads[read].index * int64_t(haplotypes.size()); }
};

// Reads of a region that are computed side by side.
struct TileTask {
    Region *region;
    const int32_t *reads;  // indices into the region's list
    int32_t count;
};

// What a thread without a tile takes from one that has one: reserved while it gets ready.
struct alignas(64) Tails : SharedTails {
    std::atomic<bool> reserved, done;
    Scratch kept;
};

// What one thread needs for a tile.
struct TileMemory {
    Scratch coefficients, workspace, results, letters;
    Planner planner;
    Plan plan;  // of some of a region's haplotypes
    std::vector<Letters> haplotypes;
    std::vector<int32_t> chosen;

    void set_up(const TileKernel &kernel, const Tile &tile) {
        kernel.set_up(tile, coefficients.get(kernel.coefficients(tile.rows())));
    }

    TileBuffers buffers(const TileKernel &kernel, const Tile &tile, const PlanView &with) {
        return {coefficients.get(0), workspace.get(kernel.workspace(tile.rows(), with))};
    }

    // The kernel's results after its set-up, [join][lane]. Another thread may have taken the tails.
    const double *compute(const TileKernel &kernel, const Tile &tile, const PlanView &with,
                          Tails *tails = nullptr) {
        const TileBuffers memory = buffers(kernel, tile, with);
        double *out = static_cast<double *>(
            results.get(size_t(with.join_count) * size_t(kernel.lanes) * sizeof(double)));
        SharedTails alone = {};  // that nobody takes
        if (!kernel.compute(tile, with, memory, tails ? tails : &alone) && tails) {
            wait_for(tails->done);
            kernel.meet(tile, with, memory, tails->kept.get(0));
        }
        kernel.close(tile, with, memory, out);
        return out;
    }

    void trim() {
        for (Scratch *buffer : {&coefficients, &workspace, &results, &letters})
            buffer->trim(kKeptBytes);
    }
};
PerThread<TileMemory> tile_memory;

class Chunk {
   public:
    void compute(const CpuSettings &settings, const gkl_shim_pairhmm_batch &batch, int64_t first,
                 int64_t end, double *out, CpuCounts *counts) {
        settings_ = &settings;
        batch_ = &batch;
        first_ = first;
        count_ = end - first;
        while (int64_t(regions_.size()) < count_) regions_.push_back(std::make_unique<Region>());
        int64_t bases = 0;
        for (int64_t k = 0; k < count_; k++) {
            const int64_t g = first + k;
            regions_[k]->out = out;
            out += (batch.region_reads[g + 1] - batch.region_reads[g]) *
                   (batch.region_haplotypes[g + 1] - batch.region_haplotypes[g]);
            bases += batch.haplotype_offsets[batch.region_haplotypes[g + 1]] -
                     batch.haplotype_offsets[batch.region_haplotypes[g]];
        }
        unfinished_ = false;
        const bool single = !settings.double_precision && !settings.only_missing;
        bool planned = true;
        if (count_ == 1) {
            order_reads(0);
            planned = !(single && worth_beginning());
            if (planned) plan_haplotypes(0);
        } else {
            parallel(count_, kCellsPerSortedLetter * bases, &Chunk::plan);
        }

        int64_t cells = planned ? planned_cells() : shortest_cells();
        const CpuBuild &build = *settings.build;
        if (single) {
            threads_ = threads_for(cells / kCellsPerNanosecond, settings.threads);
            list_tiles(build.single_wide.lanes, [](Region &region, int32_t read) {
                return region.reads[read].length <= kLongestSingleRead;
            });
            if (planned) offer_tails();
            parallel(int64_t(tiles_.size()) + takers(planned), cells, &Chunk::single_tile,
                     planned ? nullptr : &Chunk::plan_and_offer_tails);
            counts->computed_cells += planned_cells();
            for (const auto &tails : tails_) tails->kept.trim(kKeptBytes);
            if (!unfinished_) return;
            counts->rescued_pairs += list_unfinished(build.double_wide.lanes, &cells);
        } else {
            counts->computed_cells += cells;
            list_unfinished(build.double_wide.lanes, &cells);
        }
        parallel(int64_t(tiles_.size()), cells, &Chunk::double_tile);
        counts->rescaled_pairs += list_unfinished(build.rescaled_lanes, &cells);
        parallel(int64_t(tiles_.size()), cells, &Chunk::rescaled_tile);
    }

   private:
    typedef void (Chunk::*Step)(int64_t k);

    // step(k) for all k in [0, count), on as many threads as the cells are worth; first() on the
    // calling one, before its steps.
    void parallel(int64_t count, int64_t cells, Step step, void (Chunk::*first)() = nullptr) {
        step_ = step;
        first_step_ = first;
        ready_ = first_step_done_ = !first;
        parallel_for(count, cells / kCellsPerNanosecond, settings_->threads, run_step, this, false,
                     first ? run_first_step : nullptr);
    }

    static void run_step(void *pointer, int64_t k) {
        Chunk &chunk = *static_cast<Chunk *>(pointer);
        const struct Trim {
            ~Trim() { memory.trim(); }
            TileMemory &memory;
        } at_the_end{*tile_memory};
        (chunk.*chunk.step_)(k);
    }

    static void run_first_step(void *pointer) {
        Chunk &chunk = *static_cast<Chunk *>(pointer);
        // Others wait for it even where it throws.
        const struct Ready {
            ~Ready() { chunk.ready_.store(true, std::memory_order_release); }
            Chunk &chunk;
        } at_the_end{chunk};
        (chunk.*chunk.first_step_)();
        chunk.first_step_done_ = true;
    }

    // Until the caller's first step has ended; returns whether it has succeeded.
    bool wait_until_ready() {
        wait_for(ready_);
        return first_step_done_;
    }

    void plan(int64_t k) {
        order_reads(k);
        plan_haplotypes(k);
    }

    void order_reads(int64_t k) {
        Region &region = *regions_[k];
        const int64_t *first = batch_->region_reads + first_ + k;
        if (settings_->only_missing && nothing_missing(region, first_ + k)) {
            region.reads.clear();
            region.read_bases = 0;
            return;
        }
        region.first_read = first[0];
        region.reads.resize(size_t(first[1] - first[0]));
        const int64_t *offsets = batch_->read_offsets + first[0];
        for (int32_t r = 0; r < int32_t(region.reads.size()); r++)
            region.reads[r] = {int32_t(offsets[r + 1] - offsets[r]), r};
        std::sort(region.reads.begin(), region.reads.end());
        region.read_bases = offsets[region.reads.size()] - offsets[0];
    }

    void plan_haplotypes(int64_t k) {
        Region &region = *regions_[k];
        const gkl_shim_pairhmm_batch &b = *batch_;
        const int64_t g = first_ + k;
        if (region.reads.empty()) return;
        const int64_t *ends = b.haplotype_offsets + b.region_haplotypes[g];
        const int64_t haplotypes = b.region_haplotypes[g + 1] - b.region_haplotypes[g];
        region.letters.resize(size_t(ends[haplotypes] - ends[0]));
        encode(settings_->as_gkl, b.haplotype_bases + ends[0], int64_t(region.letters.size()),
               region.letters.data());
        region.haplotypes.resize(haplotypes);
        for (int64_t h = 0; h < haplotypes; h++)
            region.haplotypes[h] = {region.letters.data() + (ends[h] - ends[0]),
                                    ends[h + 1] - ends[h]};
        tile_memory->planner.make(region.haplotypes.data(), haplotypes, &region.plan);

        // Single precision computes the rest.
        if (settings_->only_missing) return;
        const int64_t left =
            settings_->double_precision ? int64_t(region.reads.size()) : too_long(region);
        for (int64_t r = 0; r < left; r++)
            std::fill_n(region.results(int32_t(r)), haplotypes,
                        std::numeric_limits<double>::quiet_NaN());
        if (left > 0) unfinished_ = true;
    }

    // How many of the region's reads single precision does not take.
    static int64_t too_long(const Region &region) {
        return std::partition_point(
                   region.reads.begin(), region.reads.end(),
                   [](const ReadOrder &read) { return read.length > kLongestSingleRead; }) -
               region.reads.begin();
    }

    bool nothing_missing(const Region &region, int64_t g) const {
        const gkl_shim_pairhmm_batch &b = *batch_;
        const int64_t pairs = (b.region_reads[g + 1] - b.region_reads[g]) *
                              (b.region_haplotypes[g + 1] - b.region_haplotypes[g]);
        return std::none_of(region.out, region.out + pairs, [](double x) { return isnan(x); });
    }

    int64_t planned_cells() const {
        int64_t cells = 0;
        for (int64_t k = 0; k < count_; k++)
            cells += regions_[k]->read_bases * regions_[k]->plan.columns();
        return cells;
    }

    // Of one region, whatever its plan: those of its longest haplotype.
    int64_t shortest_cells() const {
        const int64_t *region = batch_->region_haplotypes + first_;
        int64_t longest = 0;
        for (int64_t h = region[0]; h < region[1]; h++)
            longest =
                std::max(longest, batch_->haplotype_offsets[h + 1] - batch_->haplotype_offsets[h]);
        return regions_[0]->read_bases * longest;
    }

    // Whether threads that are awake should begin with the region's reads before it is planned.
    bool worth_beginning() const {
        const int threads = threads_for(shortest_cells() / kCellsPerNanosecond, settings_->threads);
        return threads > 1 && at_hand(threads);
    }

    // Tiles of the reads that `wanted` accepts; neighbours in length share one.
    template <class Wanted>
    void list_tiles(int lanes, Wanted wanted) {
        chosen_.clear();
        tiles_.clear();
        for (int64_t k = 0; k < count_; k++) {
            Region &region = *regions_[k];
            const size_t begin = chosen_.size();
            for (int32_t r = 0; r < int32_t(region.reads.size()); r++)
                if (wanted(region, r)) chosen_.push_back(r);
            for (size_t at = begin; at < chosen_.size(); at += lanes)
                tiles_.push_back(
                    {&region, nullptr, int32_t(std::min<size_t>(lanes, chosen_.size() - at))});
        }
        const int32_t *next = chosen_.data();
        for (TileTask &tile : tiles_) {
            tile.reads = next;
            next += tile.count;
        }
    }

    // Tiles of the reads that lack a result, how many pairs these are, and their cells.
    int64_t list_unfinished(int lanes, int64_t *cells) {
        int64_t pairs = 0;
        *cells = 0;
        list_tiles(lanes, [&](Region &region, int32_t read) {
            const double *r = region.results(read);
            const int64_t lacking =
                std::count_if(r, r + region.haplotypes.size(), [](double x) { return isnan(x); });
            pairs += lacking;
            if (lacking) *cells += region.reads[read].length * region.plan.columns();
            return lacking > 0;
        });
        return pairs;
    }

    // Its letters lie in the thread's memory.
    Tile make_tile(const TileTask &task) {
        const gkl_shim_pairhmm_batch &b = *batch_;
        const Region &region = *task.region;
        Tile tile;
        tile.count = task.count;
        size_t size = 0;
        for (int32_t lane = 0; lane < task.count; lane++)
            size += size_t(region.reads[task.reads[lane]].length);
        uint8_t *letters = static_cast<uint8_t *>(tile_memory->letters.get(size));
        for (int32_t lane = 0; lane < task.count; lane++) {
            const ReadOrder &read = region.reads[task.reads[lane]];
            const int64_t at = b.read_offsets[region.first_read + read.index];
            tile.reads[lane] = {b.read_bases + at,         b.base_quals + at,
                                b.insertion_quals + at,    b.deletion_quals + at,
                                b.continuation_quals + at, read.length};
            if (settings_->threads > 1) fetch(tile.reads[lane]);
        }
        for (int32_t lane = 0; lane < task.count; lane++) {
            ReadView &read = tile.reads[lane];
            encode(settings_->as_gkl, read.letters, read.length, letters);
            read.letters = letters;
            letters += read.length;
        }
        return tile;
    }

    // What another core has written last comes all at once.
    static void fetch(const ReadView &read) {
        for (const uint8_t *track : {read.letters, read.base_quals, read.insertion_quals,
                                     read.deletion_quals, read.continuation_quals})
            for (int32_t k = 0; k < read.length; k += 64) __builtin_prefetch(track + k);
    }

    const TileKernel &single_kernel(const TileTask &task) const {
        const CpuBuild &build = *settings_->build;
        return task.count <= build.single_narrow.lanes ? build.single_narrow : build.single_wide;
    }

    void plan_and_offer_tails() {
        plan_haplotypes(0);
        offer_tails();
    }

    // Whoever finds no tile left may take the tails of one under way, which is among the last.
    void offer_tails() {
        const int64_t count = int64_t(tiles_.size());
        first_offered_ = threads_ == 1 ? count : std::max<int64_t>(count - 2 * threads_, 0);
        while (int64_t(tails_.size()) < count - first_offered_)
            tails_.push_back(std::make_unique<Tails>());
        for (int64_t k = first_offered_; k < count; k++) {
            const TileTask &task = tiles_[k];
            Tails &tails = *tails_[k - first_offered_];
            tails.rows_left = rows_of(task);
            tails.taken = false;
            tails.reserved = tails.done = false;
            tails.kept.get(single_kernel(task).kept(rows_of(task), task.region->plan.view()));
        }
    }

    static int32_t rows_of(const TileTask &task) {
        return task.region->reads[task.reads[0]].length;
    }

    // How many threads may take tails: none where these are too short in any tile.
    int64_t takers(bool planned) const {
        const int64_t count = int64_t(tiles_.size());
        for (int64_t k = std::max<int64_t>(count - 2 * threads_, 0); k < count; k++) {
            const Region &region = *tiles_[k].region;
            const int64_t columns =
                planned ? region.plan.tails.columns() : shortest_cells() / region.read_bases / 2;
            if (rows_of(tiles_[k]) * (columns - kTakingColumns) > kLeastGain) return threads_ - 1;
        }
        return 0;
    }

    // What is gained where the tails are taken now, in columns of a row.
    int64_t gain(int64_t k) const {
        const TileTask &task = tiles_[k];
        const Tails &tails = *tails_[k - first_offered_];
        if (tails.reserved.load(std::memory_order_relaxed)) return 0;
        const Plan &plan = task.region->plan;
        const int64_t rows = rows_of(task);
        const int64_t left = __atomic_load_n(&tails.rows_left, __ATOMIC_RELAXED);
        return std::min(rows * plan.tails.columns(),
                        left * plan.heads.columns() - rows * kTakingColumns);
    }

    void take_tails() {
        if (!wait_until_ready()) return;
        for (;;) {
            int64_t best = -1, most = kLeastGain;
            for (int64_t k = first_offered_; k < int64_t(tiles_.size()); k++)
                if (const int64_t gained = gain(k); gained > most) best = k, most = gained;
            if (best < 0) return;
            const TileTask &task = tiles_[best];
            Tails &tails = *tails_[best - first_offered_];
            if (tails.reserved.exchange(true)) continue;
            const TileKernel &kernel = single_kernel(task);
            const FloatingPointMode mode(Subnormals::kFlushed);
            const Tile tile = make_tile(task);
            tile_memory->set_up(kernel, tile);
            const PlanView plan = task.region->plan.view();
            const TileBuffers buffers = tile_memory->buffers(kernel, tile, plan);
            if (!tails.take()) continue;
            kernel.keep_tails(tile, plan, buffers, tails.kept.get(0));
            tails.done.store(true, std::memory_order_release);
        }
    }

    void single_tile(int64_t k) {
        if (k >= int64_t(tiles_.size())) return take_tails();
        const TileTask &task = tiles_[k];
        Region &region = *task.region;
        const TileKernel &kernel = single_kernel(task);
        const FloatingPointMode mode(Subnormals::kFlushed);
        const Tile tile = make_tile(task);
        tile_memory->set_up(kernel, tile);
        if (!wait_until_ready()) return;
        Tails *const tails = k < first_offered_ ? nullptr : tails_[k - first_offered_].get();
        const double *computed = tile_memory->compute(kernel, tile, region.plan.view(), tails);
        bool untrusted = false;
        for (int32_t lane = 0; lane < task.count; lane++) {
            double *results = region.results(task.reads[lane]);
            for (size_t h = 0; h < region.haplotypes.size(); h++) {
                results[h] = computed[region.plan.join_of[h] * kernel.lanes + lane];
                untrusted |= isnan(results[h]);
            }
        }
        if (untrusted) unfinished_ = true;
    }

    // The haplotypes that some read of the tile lacks the result for.
    void choose_haplotypes(const TileTask &task, TileMemory *memory) {
        Region &region = *task.region;
        memory->chosen.clear();
        for (int32_t h = 0; h < int32_t(region.haplotypes.size()); h++)
            for (int32_t lane = 0; lane < task.count; lane++)
                if (isnan(region.results(task.reads[lane])[h])) {
                    memory->chosen.push_back(h);
                    break;
                }
    }

    void double_tile(int64_t k) {
        const TileTask &task = tiles_[k];
        Region &region = *task.region;
        TileMemory &memory = *tile_memory;
        const CpuBuild &build = *settings_->build;
        const TileKernel &kernel =
            task.count <= build.double_narrow.lanes ? build.double_narrow : build.double_wide;
        choose_haplotypes(task, &memory);
        const size_t count = memory.chosen.size();
        const Plan *plan = &region.plan;
        if (count < region.haplotypes.size()) {
            memory.haplotypes.resize(count);
            for (size_t c = 0; c < count; c++)
                memory.haplotypes[c] = region.haplotypes[memory.chosen[c]];
            memory.planner.make(memory.haplotypes.data(), int64_t(count), &memory.plan);
            plan = &memory.plan;
        }
        const Tile tile = make_tile(task);
        memory.set_up(kernel, tile);
        const double *computed = memory.compute(kernel, tile, plan->view());
        for (int32_t lane = 0; lane < task.count; lane++) {
            double *results = region.results(task.reads[lane]);
            for (size_t c = 0; c < count; c++)
                if (isnan(results[memory.chosen[c]]))
                    results[memory.chosen[c]] = computed[plan->join_of[c] * kernel.lanes + lane];
        }
    }

    void rescaled_tile(int64_t k) {
        const TileTask &task = tiles_[k];
        Region &region = *task.region;
        TileMemory &memory = *tile_memory;
        const CpuBuild &build = *settings_->build;
        choose_haplotypes(task, &memory);
        const Tile all = make_tile(task);
        for (const int32_t h : memory.chosen) {
            const Letters &haplotype = region.haplotypes[h];
            Tile tile;
            tile.count = 0;
            double *where[kMaxLanes];
            for (int32_t lane = 0; lane < task.count; lane++) {
                double *result = region.results(task.reads[lane]) + h;
                if (!isnan(*result)) continue;
                where[tile.count] = result;
                tile.reads[tile.count++] = all.reads[lane];
            }
            double out[kMaxLanes];
            build.compute_rescaled(tile, haplotype,
                                   memory.workspace.get(build.rescaled_workspace(haplotype)), out);
            for (int32_t lane = 0; lane < tile.count; lane++)
                *where[lane] =
                    settings_->as_gkl && out[lane] < kGklSmallestLog10 ? -HUGE_VAL : out[lane];
        }
    }

    const CpuSettings *settings_;
    const gkl_shim_pairhmm_batch *batch_;
    int64_t first_, count_;
    std::vector<std::unique_ptr<Region>> regions_;
    std::vector<int32_t> chosen_;
    std::vector<TileTask> tiles_;
    int threads_;
    std::vector<std::unique_ptr<Tails>> tails_;  // of the tiles from first_offered_ on
    int64_t first_offered_;
    Step step_;
    void (Chunk::*first_step_)();
    std::atomic<bool> unfinished_;  // some pair lacks its result
    std::atomic<bool> ready_;       // the first step, if any, has ended
    bool first_step_done_;          // and well
};

// A caller's plans, kept between its calls.
PerThread<Chunk> caller_chunk;

}  // namespace

const Builds<CpuBuild> &cpu_builds() {
    static const Builds<CpuBuild> builds(GKL_SHIM_COMPILED_BUILDS);
    return builds;
}

CpuCounts compute_on_cpu(const CpuSettings &settings, const gkl_shim_pairhmm_batch &batch,
                         double *log10_likelihoods) {
    CpuCounts counts;
    for (int64_t first = 0, end; first < batch.regions; first = end) {
        int64_t pairs = 0, bases = 0;
        for (end = first; end < batch.regions && (end == first || bases < kChunkBases); end++) {
            const int64_t *reads = batch.region_reads + end;
            const int64_t *haplotypes = batch.region_haplotypes + end;
            pairs += (reads[1] - reads[0]) * (haplotypes[1] - haplotypes[0]);
            bases += batch.read_offsets[reads[1]] - batch.read_offsets[reads[0]] +
                     batch.haplotype_offsets[haplotypes[1]] -
                     batch.haplotype_offsets[haplotypes[0]];
        }
        caller_chunk->compute(settings, batch, first, end, log10_likelihoods, &counts);
        log10_likelihoods += pairs;
    }
    return counts;
}

}  // namespace pairhmm
}  // namespace gkl_shim

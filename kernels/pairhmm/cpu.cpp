// The CPU engine's flow: regions are planned, their tiles computed in single precision, and the
// pairs whose result is not to be trusted computed again in double precision, then with rescaling.
// Each step is one parallel loop over a chunk of regions; a pair that still lacks its result is
// NaN.
#include "pairhmm/cpu.h"

#include <math.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <memory>
#include <new>
#include <numeric>
#include <vector>

#include "common/cpu.h"
#include "common/scratch.h"
#include "common/simd.h"
#include "common/thread_pool.h"
#include "pairhmm/letters.h"

namespace gkl_shim {
namespace pairhmm {
namespace {

// A chunk of regions is planned and computed together: enough to keep all threads busy, little
// enough that memory does not grow with the batch. It is counted in bases; what is kept of a
// sequence and of a region counts as so many.
constexpr int64_t kChunkBases = int64_t(3) << 19, kSequenceBases = 64, kRegionBases = 512;

// A region of more is computed in pieces, as if these were regions. A single haplotype may have
// more letters.
constexpr int64_t kPieceReads = 1 << 16, kPieceHaplotypes = 1 << 14, kPieceLetters = 1 << 22;

// What a tile's work may take. Where it would take more, the haplotypes are divided, and of long
// reads fewer are computed side by side; a single read and haplotype take what they need.
constexpr size_t kTileBytes = size_t(24) << 20;

// A tile with more tails than this, in bytes of what is kept of them, does them itself.
constexpr size_t kTailBytes = size_t(4) << 20;

// About what a thread computes in a nanosecond, set-up included. Sorting a haplotype's letters
// costs about as much as 16 cells each.
constexpr int64_t kCellsPerNanosecond = 6, kCellsPerSortedLetter = 16;

// Computing a tile's tails in another thread than its heads costs a row as much as so many columns:
// it needs its coefficients twice, and what meets moves from one core to the other.
constexpr int64_t kTakingColumns = 32;
// And it is worth so many columns of a row at least: some 3 us.
constexpr int64_t kLeastGain = 2000;

// A thread's buffer over this size is given back after use; so are a caller's plans.
constexpr size_t kKeptBytes = size_t(32) << 20;

struct ReadOrder {
    int32_t length, index;  // within its region, as given
    bool operator<(const ReadOrder &other) const {
        return length != other.length ? length > other.length : index < other.index;
    }
};

// Reads and haplotypes that follow one another in a region, most often all.
struct Piece {
    int64_t first_read, reads, first_haplotype, haplotypes;  // of the batch
    double *out;                                             // of the first read and haplotype
    int64_t row;  // from a read's results to the next one's
};

// A piece, which for all that follows is a region. What is written here is read by every thread,
// and costs a transfer between cores both ways: it is as little as possible.
struct Region {
    Piece piece;
    std::vector<ReadOrder> reads;  // longest first
    std::vector<uint8_t> letters;
    std::vector<Letters> haplotypes;
    Plan plan;
    std::vector<int32_t> by_head;  // haplotypes in the order of the plan's heads, where it is wanted
    int64_t read_bases, longest_haplotype;
    size_t kept = 0;  // bytes, as counted last

    double *results(int32_t read) { return piece.out + reads[read].index * piece.row; }

    size_t kept_now() const {
        return kept_bytes(reads) + kept_bytes(letters) + kept_bytes(haplotypes) + plan.kept() +
               kept_bytes(by_head);
    }
};

// Reads of a region that are computed side by side, against all its haplotypes or some.
struct TileTask {
    Region *region;
    size_t first_chosen;
    const int32_t *reads;  // indices into the region's list
    int32_t count;
    const TileKernel *kernel;
    bool divided;
    int32_t first_haplotype, haplotypes;  // of Region::by_head, where they are divided

    int32_t rows() const { return region->reads[reads[0]].length; }
};

// What a tile takes for its work.
size_t tile_bytes(const TileKernel &kernel, int32_t rows, const PlanView &plan) {
    return kernel.workspace(rows, plan) +
           size_t(plan.join_count) * size_t(kernel.lanes) * sizeof(double);
}

// A plan that takes as much as any of so many haplotypes with so many letters.
PlanView largest_plan(int64_t haplotypes, int64_t letters) {
    PlanView plan = {};
    plan.heads.columns = plan.tails.columns = int32_t(letters);
    plan.heads.leaves = plan.tails.leaves = plan.join_count = int32_t(haplotypes);
    plan.heads.slots = plan.tails.slots = int32_t(haplotypes) - 1;
    return plan;
}

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
        if (planner.kept() + plan.kept() > kKeptBytes) {
            planner = Planner();
            plan = Plan();
        }
    }
};
thread_local TileMemory tile_memory;

class Chunk {
   public:
    void begin(const CpuSettings &settings, const gkl_shim_pairhmm_batch &batch,
               CpuCounts *counts) {
        settings_ = &settings;
        batch_ = &batch;
        counts_ = counts;
        clear();
    }

    // Computes what there is once it is enough for a chunk.
    void add(const Piece &piece) {
        if (int64_t(regions_.size()) == count_) regions_.emplace_back(new Region);
        regions_[count_++]->piece = piece;
        const int64_t letters = letters_of(piece);
        const int64_t *reads = batch_->read_offsets + piece.first_read;
        letters_ += letters;
        weight_ += reads[piece.reads] - reads[0] + letters +
                   (piece.reads + piece.haplotypes) * kSequenceBases + kRegionBases;
        if (weight_ >= kChunkBases) finish();
    }

    // Computes what is left.
    void finish() {
        const struct Release {
            ~Release() { chunk.release(); }
            Chunk &chunk;
        } at_the_end{*this};
        if (count_ > 0) compute();
    }

   private:
    typedef void (Chunk::*Step)(int64_t k);

    void clear() { count_ = letters_ = weight_ = 0; }

    // Plans are kept for the chunks to come, up to a limit.
    void release() {
        for (int64_t k = 0; k < count_; k++) {
            Region &region = *regions_[k];
            kept_ -= region.kept;
            kept_ += region.kept = region.kept_now();
        }
        if (kept_ > kKeptBytes) {
            regions_.clear();
            kept_ = 0;
        }
        clear();
    }

    int64_t letters_of(const Piece &piece) const {
        const int64_t *offsets = batch_->haplotype_offsets + piece.first_haplotype;
        return offsets[piece.haplotypes] - offsets[0];
    }

    void compute() {
        const CpuSettings &settings = *settings_;
        unfinished_ = false;
        const bool single = !settings.double_precision && !settings.only_missing;
        bool planned = true;
        if (count_ == 1) {
            order_reads(0);
            planned = !(single && worth_beginning());
            if (planned) plan_haplotypes(0);
        } else {
            parallel(count_, kCellsPerSortedLetter * letters_, &Chunk::plan);
        }

        int64_t cells = planned ? planned_cells() : shortest_cells();
        if (single) {
            threads_ = threads_for(cells / kCellsPerNanosecond, settings.threads);
            list_tiles(planned ? kSingle : kUnplanned, [](Region &region, int32_t read) {
                return region.reads[read].length <= kLongestSingleRead;
            });
            if (planned) offer_tails();
            parallel(int64_t(tiles_.size()) + takers(planned), cells, &Chunk::single_tile,
                     planned ? nullptr : &Chunk::plan_and_offer_tails);
            counts_->computed_cells += planned_cells();
            if (!unfinished_) return;
            counts_->rescued_pairs += list_unfinished(kDouble, &cells);
        } else {
            counts_->computed_cells += cells;
            list_unfinished(kDouble, &cells);
        }
        parallel(int64_t(tiles_.size()), cells, &Chunk::double_tile);
        counts_->rescaled_pairs += list_unfinished(kRescaled, &cells);
        parallel(int64_t(tiles_.size()), cells, &Chunk::rescaled_tile);
    }

    // step(k) for all k in [0, count), on as many threads as the cells are worth; first() on the
    // calling one, before its steps.
    void parallel(int64_t count, int64_t cells, Step step, void (Chunk::*first)() = nullptr) {
        step_ = step;
        first_step_ = first;
        ready_ = !first;
        out_of_memory_ = false;
        parallel_for(count, cells / kCellsPerNanosecond, settings_->threads, run_step, this, false,
                     first ? run_first_step : nullptr);
        if (out_of_memory_) throw std::bad_alloc();
    }

    static void run_step(void *pointer, int64_t k) {
        Chunk &chunk = *static_cast<Chunk *>(pointer);
        chunk.guarded([&] { (chunk.*chunk.step_)(k); });
        tile_memory.trim();
    }

    static void run_first_step(void *pointer) {
        Chunk &chunk = *static_cast<Chunk *>(pointer);
        chunk.guarded([&] { (chunk.*chunk.first_step_)(); });
        chunk.ready_.store(true, std::memory_order_release);
    }

    template <class Work>
    void guarded(Work work) {
        try {
            work();
        } catch (const std::bad_alloc &) {
            out_of_memory_ = true;
        }
    }

    // Until the caller's first step is done; returns whether it has succeeded.
    bool wait_until_ready() {
        wait_for(ready_);
        return !out_of_memory_;
    }

    void plan(int64_t k) {
        order_reads(k);
        plan_haplotypes(k);
    }

    void order_reads(int64_t k) {
        Region &region = *regions_[k];
        if (settings_->only_missing && nothing_missing(region.piece)) {
            region.reads.clear();
            region.read_bases = 0;
            return;
        }
        region.reads.resize(size_t(region.piece.reads));
        const int64_t *offsets = batch_->read_offsets + region.piece.first_read;
        for (int32_t r = 0; r < int32_t(region.reads.size()); r++)
            region.reads[r] = {int32_t(offsets[r + 1] - offsets[r]), r};
        std::sort(region.reads.begin(), region.reads.end());
        region.read_bases = offsets[region.reads.size()] - offsets[0];
    }

    void plan_haplotypes(int64_t k) {
        Region &region = *regions_[k];
        const gkl_shim_pairhmm_batch &b = *batch_;
        if (region.reads.empty()) return;
        const int64_t *ends = b.haplotype_offsets + region.piece.first_haplotype;
        const int64_t haplotypes = region.piece.haplotypes;
        region.letters.resize(size_t(ends[haplotypes] - ends[0]));
        encode(settings_->as_gkl, b.haplotype_bases + ends[0], int64_t(region.letters.size()),
               region.letters.data());
        region.haplotypes.resize(haplotypes);
        for (int64_t h = 0; h < haplotypes; h++)
            region.haplotypes[h] = {region.letters.data() + (ends[h] - ends[0]),
                                    ends[h + 1] - ends[h]};
        region.longest_haplotype = longest_haplotype(region.piece);
        tile_memory.planner.make(region.haplotypes.data(), haplotypes, &region.plan);
        region.by_head.clear();

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

    static bool nothing_missing(const Piece &piece) {
        for (int64_t r = 0; r < piece.reads; r++) {
            const double *row = piece.out + r * piece.row;
            if (std::any_of(row, row + piece.haplotypes, [](double x) { return isnan(x); }))
                return false;
        }
        return true;
    }

    int64_t longest_haplotype(const Piece &piece) const {
        const int64_t *offsets = batch_->haplotype_offsets + piece.first_haplotype;
        int64_t longest = 0;
        for (int64_t h = 0; h < piece.haplotypes; h++)
            longest = std::max(longest, offsets[h + 1] - offsets[h]);
        return longest;
    }

    int64_t planned_cells() const {
        int64_t cells = 0;
        for (int64_t k = 0; k < count_; k++)
            cells += regions_[k]->read_bases * regions_[k]->plan.columns();
        return cells;
    }

    // Of one region, whatever its plan: those of its longest haplotype.
    int64_t shortest_cells() const {
        return regions_[0]->read_bases * longest_haplotype(regions_[0]->piece);
    }

    // Whether threads that are awake should begin with the region's reads before it is planned. Its
    // haplotypes must not need to be divided.
    bool worth_beginning() const {
        const int threads = threads_for(shortest_cells() / kCellsPerNanosecond, settings_->threads);
        if (threads <= 1 || !at_hand(threads)) return false;
        const Piece &piece = regions_[0]->piece;
        return tile_bytes(settings_->build->single_wide, kLongestSingleRead,
                          largest_plan(piece.haplotypes, letters_of(piece))) <= kTileBytes;
    }

    // What tiles are listed for: single precision, before and after there is a plan, and so on.
    enum Pass { kUnplanned, kSingle, kDouble, kRescaled };

    // Tiles of the reads that `wanted` accepts; neighbours in length share one.
    template <class Wanted>
    void list_tiles(Pass pass, Wanted wanted) {
        chosen_.clear();
        tiles_.clear();
        for (int64_t k = 0; k < count_; k++) {
            Region &region = *regions_[k];
            const size_t begin = chosen_.size();
            for (int32_t r = 0; r < int32_t(region.reads.size()); r++)
                if (wanted(region, r)) chosen_.push_back(r);
            int32_t count;
            for (size_t at = begin; at < chosen_.size(); at += size_t(count)) {
                const int32_t rows = region.reads[size_t(chosen_[at])].length;
                count = int32_t(std::min(size_t(lanes(pass, region, rows)), chosen_.size() - at));
                list_tile(pass, region, at, rows, count);
            }
        }
        for (TileTask &tile : tiles_) tile.reads = chosen_.data() + tile.first_chosen;
    }

    // How many reads are computed side by side, where the longest has so many rows.
    int lanes(Pass pass, const Region &region, int32_t rows) const {
        const CpuBuild &build = *settings_->build;
        if (pass < kDouble) return build.single_wide.lanes;
        const PlanView one = largest_plan(1, (region.longest_haplotype + 1) / 2);
        for (const TileKernel *kernel : {&build.double_wide, &build.double_narrow})
            if (tile_bytes(*kernel, rows, one) <= kTileBytes) return kernel->lanes;
        return 1;
    }

    const TileKernel &kernel_for(Pass pass, int32_t count) const {
        const CpuBuild &build = *settings_->build;
        if (pass < kDouble)
            return count <= build.single_narrow.lanes ? build.single_narrow : build.single_wide;
        if (count == 1) return build.double_lone;
        return count <= build.double_narrow.lanes ? build.double_narrow : build.double_wide;
    }

    // The tile's task, or several where its haplotypes are divided.
    void list_tile(Pass pass, Region &region, size_t first_chosen, int32_t rows, int32_t count) {
        TileTask task = {&region, first_chosen, nullptr, count, &kernel_for(pass, count),
                         false,   0,            0};
        size_t parts = 1;
        if (pass == kSingle || pass == kDouble)
            parts += tile_bytes(*task.kernel, rows, region.plan.view()) / kTileBytes;
        task.divided = parts > 1;
        if (task.divided) order_by_head(region);
        const size_t haplotypes = region.haplotypes.size();
        parts = std::min(parts, haplotypes);
        for (size_t part = 0; part < parts; part++) {
            task.first_haplotype = int32_t(haplotypes * part / parts);
            task.haplotypes = int32_t(haplotypes * (part + 1) / parts) - task.first_haplotype;
            tiles_.push_back(task);
        }
    }

    // So that those that are computed together share their heads.
    static void order_by_head(Region &region) {
        if (!region.by_head.empty()) return;
        region.by_head.resize(region.haplotypes.size());
        std::iota(region.by_head.begin(), region.by_head.end(), 0);
        const Plan &plan = region.plan;
        std::sort(region.by_head.begin(), region.by_head.end(), [&plan](int32_t x, int32_t y) {
            const Join &a = plan.joins[size_t(plan.join_of[size_t(x)])];
            const Join &b = plan.joins[size_t(plan.join_of[size_t(y)])];
            return a.head != b.head ? a.head < b.head : a.tail < b.tail;
        });
    }

    // Tiles of the reads that lack a result, how many pairs these are, and their cells.
    int64_t list_unfinished(Pass pass, int64_t *cells) {
        int64_t pairs = 0;
        *cells = 0;
        list_tiles(pass, [&](Region &region, int32_t read) {
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
        uint8_t *letters = static_cast<uint8_t *>(tile_memory.letters.get(size));
        for (int32_t lane = 0; lane < task.count; lane++) {
            const ReadOrder &read = region.reads[task.reads[lane]];
            const int64_t at = b.read_offsets[region.piece.first_read + read.index];
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

    void plan_and_offer_tails() {
        plan_haplotypes(0);
        offer_tails();
    }

    // Whoever finds no tile left may take the tails of one under way, which is among the last.
    void offer_tails() {
        const int64_t count = int64_t(tiles_.size());
        first_offered_ = threads_ == 1 ? count : std::max<int64_t>(count - 2 * threads_, 0);
        while (int64_t(tails_.size()) < count - first_offered_) tails_.emplace_back(new Tails);
        for (int64_t k = first_offered_; k < count; k++) {
            const TileTask &task = tiles_[k];
            Tails &tails = *tails_[k - first_offered_];
            const size_t kept = task.kernel->kept(task.rows(), task.region->plan.view());
            const bool offered = !task.divided && kept <= kTailBytes;
            tails.rows_left = task.rows();
            tails.taken = tails.done = false;
            tails.reserved = !offered;
            if (offered) tails.kept.get(kept);
        }
    }

    // How many threads may take tails: none where these are too short in any tile.
    int64_t takers(bool planned) const {
        const int64_t count = int64_t(tiles_.size());
        for (int64_t k = std::max<int64_t>(count - 2 * threads_, 0); k < count; k++) {
            const Region &region = *tiles_[k].region;
            const int64_t columns =
                planned ? region.plan.tails.columns() : shortest_cells() / region.read_bases / 2;
            if (tiles_[k].rows() * (columns - kTakingColumns) > kLeastGain) return threads_ - 1;
        }
        return 0;
    }

    // What is gained where the tails are taken now, in columns of a row.
    int64_t gain(int64_t k) const {
        const TileTask &task = tiles_[k];
        const Tails &tails = *tails_[k - first_offered_];
        if (tails.reserved.load(std::memory_order_relaxed)) return 0;
        const Plan &plan = task.region->plan;
        const int64_t rows = task.rows();
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
            const TileKernel &kernel = *task.kernel;
            const FlushToZero mode;
            const Tile tile = make_tile(task);
            tile_memory.set_up(kernel, tile);
            const PlanView plan = task.region->plan.view();
            const TileBuffers buffers = tile_memory.buffers(kernel, tile, plan);
            if (!tails.take()) continue;
            kernel.keep_tails(tile, plan, buffers, tails.kept.get(0));
            tails.done.store(true, std::memory_order_release);
        }
    }

    void single_tile(int64_t k) {
        if (k >= int64_t(tiles_.size())) return take_tails();
        const TileTask &task = tiles_[k];
        Region &region = *task.region;
        const TileKernel &kernel = *task.kernel;
        const FlushToZero mode;
        const Tile tile = make_tile(task);
        tile_memory.set_up(kernel, tile);
        if (!wait_until_ready()) return;
        bool untrusted = false;
        const auto put = [&](int32_t h, const double *computed) {
            for (int32_t lane = 0; lane < task.count; lane++) {
                region.results(task.reads[lane])[h] = computed[lane];
                untrusted |= isnan(computed[lane]);
            }
        };
        if (task.divided) {
            choose_haplotypes(task, [](int32_t) { return true; });
            compute_chosen(task, tile, 0, tile_memory.chosen.size(), put);
        } else {
            Tails *const tails = k < first_offered_ ? nullptr : tails_[k - first_offered_].get();
            put_all(task, tile_memory.compute(kernel, tile, region.plan.view(), tails), put);
        }
        if (untrusted) unfinished_ = true;
    }

    // Calls put(haplotype, its results lane by lane) for all of the region's.
    template <class Put>
    static void put_all(const TileTask &task, const double *computed, Put put) {
        const std::vector<int32_t> &join_of = task.region->plan.join_of;
        for (size_t h = 0; h < join_of.size(); h++)
            put(int32_t(h), computed + join_of[h] * task.kernel->lanes);
    }

    // The task's haplotypes that are wanted.
    template <class Wanted>
    static void choose_haplotypes(const TileTask &task, Wanted wanted) {
        std::vector<int32_t> &chosen = tile_memory.chosen;
        chosen.clear();
        for (int32_t k = 0; k < task.haplotypes; k++) {
            const int32_t h =
                task.divided ? task.region->by_head[size_t(task.first_haplotype + k)] : k;
            if (wanted(h)) chosen.push_back(h);
        }
    }

    // Those that some read of the tile lacks the result for.
    static void choose_missing(const TileTask &task) {
        choose_haplotypes(task, [&task](int32_t h) {
            for (int32_t lane = 0; lane < task.count; lane++)
                if (isnan(task.region->results(task.reads[lane])[h])) return true;
            return false;
        });
    }

    // Computes a set-up tile against the chosen haplotypes [begin, end), all together if they
    // take no more memory than a tile may.
    template <class Put>
    static void compute_chosen(const TileTask &task, const Tile &tile, size_t begin, size_t end,
                               Put put) {
        TileMemory &memory = tile_memory;
        const size_t count = end - begin;
        if (count == 0) return;
        memory.haplotypes.resize(count);
        for (size_t c = 0; c < count; c++)
            memory.haplotypes[c] = task.region->haplotypes[size_t(memory.chosen[begin + c])];
        memory.planner.make(memory.haplotypes.data(), int64_t(count), &memory.plan);
        const PlanView plan = memory.plan.view();
        if (count > 1 && tile_bytes(*task.kernel, tile.rows(), plan) > kTileBytes) {
            const size_t middle = begin + count / 2;
            compute_chosen(task, tile, begin, middle, put);
            compute_chosen(task, tile, middle, end, put);
            return;
        }
        const double *computed = memory.compute(*task.kernel, tile, plan);
        for (size_t c = 0; c < count; c++)
            put(memory.chosen[begin + c], computed + memory.plan.join_of[c] * task.kernel->lanes);
    }

    void double_tile(int64_t k) {
        const TileTask &task = tiles_[k];
        Region &region = *task.region;
        choose_missing(task);
        const GradualUnderflow mode;
        const Tile tile = make_tile(task);
        tile_memory.set_up(*task.kernel, tile);
        const auto put = [&](int32_t h, const double *computed) {
            for (int32_t lane = 0; lane < task.count; lane++) {
                double &result = region.results(task.reads[lane])[h];
                if (isnan(result)) result = computed[lane];
            }
        };
        const size_t count = tile_memory.chosen.size();
        if (count == region.haplotypes.size() && !task.divided)
            put_all(task, tile_memory.compute(*task.kernel, tile, region.plan.view()), put);
        else
            compute_chosen(task, tile, 0, count, put);
    }

    void rescaled_tile(int64_t k) {
        const TileTask &task = tiles_[k];
        Region &region = *task.region;
        const CpuBuild &build = *settings_->build;
        choose_missing(task);
        const GradualUnderflow mode;
        const Tile all = make_tile(task);
        for (const int32_t h : tile_memory.chosen) {
            const Letters &haplotype = region.haplotypes[size_t(h)];
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
            const size_t workspace = build.rescaled_workspace(tile.rows(), haplotype);
            build.compute_rescaled(tile, haplotype, tile_memory.workspace.get(workspace), out);
            for (int32_t lane = 0; lane < tile.count; lane++)
                *where[lane] =
                    settings_->as_gkl && out[lane] < kGklSmallestLog10 ? -HUGE_VAL : out[lane];
        }
    }

    const CpuSettings *settings_;
    const gkl_shim_pairhmm_batch *batch_;
    CpuCounts *counts_;
    int64_t count_ = 0, letters_ = 0, weight_ = 0;  // of the pieces added
    std::vector<std::unique_ptr<Region>> regions_;
    size_t kept_ = 0;  // bytes, by them
    std::vector<int32_t> chosen_;
    std::vector<TileTask> tiles_;
    int threads_;
    std::vector<std::unique_ptr<Tails>> tails_;  // of the tiles from first_offered_ on
    int64_t first_offered_;
    Step step_;
    void (Chunk::*first_step_)();
    std::atomic<bool> unfinished_;  // some pair lacks its result
    std::atomic<bool> ready_;       // the first step, if any, is done
    std::atomic<bool> out_of_memory_;
};

// A caller's plans, kept between its calls.
thread_local Chunk caller_chunk;

// Where a piece ends whose first haplotype is this one.
int64_t piece_end(const int64_t *offsets, int64_t first, int64_t end) {
    end = std::min(end, first + kPieceHaplotypes);
    const int64_t most = offsets[first] + kPieceLetters;
    if (offsets[end] <= most) return end;
    return std::max(first, std::upper_bound(offsets + first, offsets + end, most) - offsets - 2) + 1;
}

}  // namespace

const Builds<CpuBuild> &cpu_builds() {
    static const Builds<CpuBuild> builds(GKL_SHIM_COMPILED_BUILDS);
    return builds;
}

CpuCounts compute_on_cpu(const CpuSettings &settings, const gkl_shim_pairhmm_batch &batch,
                         double *log10_likelihoods) {
    CpuCounts counts;
    caller_chunk.begin(settings, batch, &counts);
    for (int64_t g = 0; g < batch.regions; g++) {
        const int64_t first_read = batch.region_reads[g], end_read = batch.region_reads[g + 1];
        const int64_t first = batch.region_haplotypes[g], end = batch.region_haplotypes[g + 1];
        for (int64_t h = first, next; h < end; h = next) {
            next = piece_end(batch.haplotype_offsets, h, end);
            for (int64_t r = first_read; r < end_read; r += kPieceReads)
                caller_chunk.add(
                    {r, std::min(kPieceReads, end_read - r), h, next - h,
                     log10_likelihoods + (r - first_read) * (end - first) + (h - first),
                     end - first});
        }
        log10_likelihoods += (end_read - first_read) * (end - first);
    }
    caller_chunk.finish();
    return counts;
}

}  // namespace pairhmm
}  // namespace gkl_shim

// The CPU engine of PairHMM and PDHMM. It cuts a batch into pieces of regions and computes these in
// chunks: it plans the pieces, lists tiles of their reads, and computes the tiles, in steps of
// rising precision. Each step is one parallel loop over a chunk.
//
// A `Method` says what differs. It has these types:
//   Call        the settings of a call and its `batch`; `threads`, and `kernels()` of the first step
//   Haplotypes  the haplotypes of a piece: begin() reads them into `list`, plan() plans some
//   Plan, PlanView, Planner
//   Memory      what a thread needs in addition to TileMemory
// and two constants:
//   kCellsPerNanosecond  about how many cells a thread computes, set-up included
//   kCellsPerLetter      the cells that cost about as much as planning a letter of a haplotype
#pragma once

#include <math.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <memory>
#include <vector>

#include "common/floating_point_mode.h"
#include "common/per_thread.h"
#include "common/thread_pool.h"
#include "hmm/cpu/piece.h"
#include "hmm/cpu/tile_memory.h"
#include "hmm/cpu/tiles.h"

namespace gkl_shim {
namespace hmm {

// An engine and the plans that it keeps for later calls. A derived class adds the steps.
template <class Method>
class Engine {
   public:
    typedef typename Method::Call Call;

    // Computes all pairs of a checked batch. Returns the number of cells that it planned. Throws
    // std::bad_alloc.
    int64_t compute(const Call &call, double *out) {
        call_ = &call;
        computed_cells_ = 0;
        trim();
        const gkl_shim_pairhmm_batch &batch = call.batch;
        for (int64_t g = 0; g < batch.regions; g++) {
            const int64_t *reads = batch.region_reads + g, *haplotypes = batch.region_haplotypes + g;
            const int64_t per_row = haplotypes[1] - haplotypes[0];
            for (int64_t h = haplotypes[0], end; h < haplotypes[1]; h = end) {
                end = piece_end(batch.haplotype_offsets, h, haplotypes[1]);
                for (int64_t r = reads[0]; r < reads[1]; r += kPieceReads)
                    add({g, r, std::min(kPieceReads, reads[1] - r), h, end - h,
                         out + (r - reads[0]) * per_row + (h - haplotypes[0]), per_row});
            }
            out += (reads[1] - reads[0]) * per_row;
        }
        finish();
        return computed_cells_;
    }

   protected:
    typedef hmm::Piece<Method> Piece;
    typedef HaplotypeSet<Method> Set;
    typedef TileTask<Method> Task;
    typedef TileKernels<typename Method::PlanView> Kernels;

    virtual ~Engine() = default;

    // Computes the planned pieces.
    virtual void compute_pieces() = 0;

    // Whether a piece has nothing to compute. Then it is not planned.
    virtual bool skips(const Piece &) { return false; }

    // Encodes the reads of a tile for the kernels.
    virtual void encode(Tile *) {}

    const Call &call() const { return *call_; }
    TileMemory<Method> &memory() const { return *memory_; }

    // Marks all results as missing.
    void mark_all() {
        for_each_set([this](const Piece &piece, const Set &set) {
            for (int32_t read = 0; read < piece.reads().count(); read++) mark(piece, set, read);
        });
    }

    // The first step: computes the pairs of all reads up to a length, with the kernels of the call.
    // Returns whether pairs lack a result now: those not trusted, those of longer reads, and those
    // of sets without a plan.
    bool compute_all(int32_t longest) {
        unfinished_ = false;
        tiles_.clear();
        for_each_set([&](const Piece &piece, const Set &set) {
            const auto wanted = [&](int32_t read) {
                const bool now = set.planned && piece.reads().length(read) <= longest;
                if (!now) mark(piece, set, read);
                return now;
            };
            tiles_.add(piece, set, wanted, [&](int32_t rows) {
                return lanes_for(call_->kernels(), rows, set.plan.view());
            });
        });
        tiles_.finish();
        for_each_tile([this](const Task &task) { compute_tile(task); });
        return unfinished_;
    }

    // Lists tiles of the reads that lack a result; lanes(piece, set, rows) says how many share a
    // tile. Returns the number of pairs that lack one.
    template <class Lanes>
    int64_t list_missing(Lanes lanes) {
        int64_t pairs = 0;
        cells_ = 0;
        tiles_.clear();
        for_each_set([&](const Piece &piece, const Set &set) {
            const auto wanted = [&](int32_t read) {
                const double *results = piece.reads().results(read);
                int64_t missing = 0;
                for (int32_t h = set.first; h < set.first + set.count; h++)
                    missing += isnan(results[piece.column(h)]);
                pairs += missing;
                if (missing) cells_ += piece.reads().length(read) * piece.columns(set);
                return missing > 0;
            };
            tiles_.add(piece, set, wanted, [&](int32_t rows) { return lanes(piece, set, rows); });
        });
        tiles_.finish();
        return pairs;
    }

    // Calls compute(task) for all listed tiles. A cell costs as much as `cost` of the first step's.
    template <class Compute>
    void for_each_tile(const Compute &compute, int64_t cost = 1) {
        parallel(tiles_.count(), cells_ * cost, [&](int64_t k) { compute(tiles_[k]); });
    }

    Tile make_tile(const Task &task) {
        Tile tile;
        tile.count = task.count;
        for (int32_t lane = 0; lane < task.count; lane++) {
            tile.reads[lane] = task.piece->reads().view(task.reads[lane]);
            if (call_->threads > 1) prefetch(tile.reads[lane]);
        }
        encode(&tile);
        return tile;
    }

    // The haplotypes for which some read of a tile lacks a result.
    const std::vector<int32_t> &missing_haplotypes(const Task &task) {
        std::vector<int32_t> &missing = memory().missing;
        missing.clear();
        for (int32_t h = task.set->first; h < task.set->first + task.set->count; h++)
            for (int32_t lane = 0; lane < task.count; lane++)
                if (isnan(task.result(lane, h))) {
                    missing.push_back(h);
                    break;
                }
        return missing;
    }

    // Calls compute(tile, haplotype, results) for one haplotype after another, with the reads of
    // the task that lack its result.
    template <class Compute>
    void compute_missing(const Task &task, Compute compute) {
        const Tile all = make_tile(task);
        for (const int32_t h : missing_haplotypes(task)) {
            Tile tile;
            tile.count = 0;
            double *where[kMaxLanes], results[kMaxLanes];
            for (int32_t lane = 0; lane < task.count; lane++) {
                double &result = task.result(lane, h);
                if (!isnan(result)) continue;
                where[tile.count] = &result;
                tile.reads[tile.count++] = all.reads[lane];
            }
            compute(tile, h, results);
            for (int32_t lane = 0; lane < tile.count; lane++) *where[lane] = results[lane];
        }
    }

   private:
    // The end of the piece that begins at haplotype `first`.
    static int64_t piece_end(const int64_t *offsets, int64_t first, int64_t end) {
        end = std::min(end, first + kPieceHaplotypes);
        const int64_t *const beyond =
            std::upper_bound(offsets + first, offsets + end + 1, offsets[first] + kPieceLetters);
        return std::max(first + 1, beyond - offsets - 1);
    }

    // Calls trim() at the end of a scope, also if an exception leaves it.
    template <class Memory>
    struct Trimmed {
        ~Trimmed() { memory.trim(); }
        Memory &memory;
    };

    // Adds a piece, and computes the chunk once it is large enough.
    void add(const Bounds &bounds) {
        if (int64_t(pieces_.size()) == count_) pieces_.push_back(std::make_unique<Piece>());
        Piece &piece = *pieces_[size_t(count_++)];
        kept_ -= piece.kept_bytes();
        piece.begin(*call_, bounds);
        kept_ += piece.kept_bytes();
        const int64_t *reads = call_->batch.read_offsets + bounds.first_read;
        letters_ += piece.letters();
        bases_ += reads[bounds.reads] - reads[0] + piece.letters() +
                  (bounds.reads + bounds.haplotypes) * kSequenceBases + kRegionBases;
        if (bases_ >= kChunkBases) finish();
    }

    // Computes the chunk.
    void finish() {
        if (count_ == 0) return;
        const Trimmed<Engine> at_the_end{*this};
        if (count_ == 1)
            plan(0);
        else
            parallel(count_, Method::kCellsPerLetter * letters_, [this](int64_t k) { plan(k); });
        cells_ = 0;
        for (int64_t k = 0; k < count_; k++) cells_ += pieces_[size_t(k)]->cells();
        computed_cells_ += cells_;
        compute_pieces();
    }

    // Begins a new chunk. Plans keep their memory, up to a limit.
    void trim() {
        if (kept_ > int64_t(kKeptBytes)) {
            pieces_.clear();
            kept_ = 0;
        }
        count_ = letters_ = bases_ = 0;
    }

    // Calls task(k) for all k in [0, count), on as many threads as the number of cells justifies.
    template <class Each>
    void parallel(int64_t count, int64_t cells, const Each &task) {
        parallel_for(count, cells / Method::kCellsPerNanosecond, call_->threads, [&](int64_t k) {
            const Trimmed<TileMemory<Method>> at_the_end{memory()};
            task(k);
        });
    }

    void plan(int64_t k) {
        Piece &piece = *pieces_[size_t(k)];
        if (!skips(piece)) piece.plan(*call_, &memory().planner);
    }

    template <class Each>
    void for_each_set(Each each) {
        for (int64_t k = 0; k < count_; k++)
            for (int32_t s = 0; s < pieces_[size_t(k)]->set_count(); s++)
                each(*pieces_[size_t(k)], pieces_[size_t(k)]->set(s));
    }

    void mark(const Piece &piece, const Set &set, int32_t read) {
        for (int32_t h = set.first; h < set.first + set.count; h++)
            piece.result(read, h) = std::numeric_limits<double>::quiet_NaN();
        unfinished_ = true;
    }

    void compute_tile(const Task &task) {
        const FloatingPointMode mode(Subnormals::kFlushed);
        const Tile tile = make_tile(task);
        const Set &set = *task.set;
        const auto plan = set.plan.view();
        const auto &kernel = kernel_for(call_->kernels(), tile.rows(), task.count, plan);
        const double *computed = memory().compute(kernel, tile, plan);
        bool untrusted = false;
        for (int32_t lane = 0; lane < task.count; lane++) {
            double *results = task.piece->reads().results(task.reads[lane]);
            for (int32_t h = 0; h < set.count; h++) {
                const double result = computed[set.plan.join_of[size_t(h)] * kernel.lanes + lane];
                results[task.piece->column(set.first + h)] = result;
                untrusted |= isnan(result);
            }
        }
        if (untrusted) unfinished_ = true;
    }

    // Prefetches a read that another core may have written last, all cache lines at once.
    static void prefetch(const ReadView &read) {
        for (const uint8_t *track : {read.letters, read.base_quals, read.insertion_quals,
                                     read.deletion_quals, read.continuation_quals})
            for (int32_t k = 0; k < read.length; k += 64) __builtin_prefetch(track + k);
    }

    static inline const PerThread<TileMemory<Method>> memory_;

    const Call *call_;
    int64_t computed_cells_;
    std::vector<std::unique_ptr<Piece>>
        pieces_;  // the first count_ are in use; the others keep their memory
    int64_t count_ = 0, letters_ = 0, bases_ = 0;  // of the pieces in use
    int64_t kept_ = 0;                             // bytes that all pieces keep
    Tiles<Method> tiles_;
    int64_t cells_;                  // of the listed tiles
    std::atomic<bool> unfinished_;   // some pair lacks its result
};

}  // namespace hmm
}  // namespace gkl_shim

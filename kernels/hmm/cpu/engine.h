// The CPU engine of PairHMM and PDHMM. It cuts a batch into pieces of regions and computes these in
// chunks: it plans the pieces, lists tiles of their reads, and computes the tiles, in steps of
// rising precision. Each step is one parallel loop over a chunk.
//
// A `Method` says what differs. It has these types:
//   Call        the settings of a call, its `batch`, and the kernels() of the first step
//   Haplotypes  of a piece: begin() reads them into `list`, and plan() plans some of them
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
#include <vector>

#include "common/floating_point_mode.h"
#include "common/per_thread.h"
#include "common/thread_pool.h"
#include "hmm/cpu/chunk.h"
#include "hmm/cpu/tile_memory.h"
#include "hmm/cpu/tiles.h"

namespace gkl_shim {
namespace hmm {

// An engine, and the memory that it keeps for later calls. A derived class adds the steps. It
// computes one call at a time.
template <class Method>
class Engine {
   public:
    typedef typename Method::Call Call;

    // Computes all pairs of a checked batch. Returns the number of cells that it planned. Throws
    // std::bad_alloc.
    int64_t compute(const Call &call, double *out) {
        call_ = &call;
        chunk_.clear();
        int64_t computed_cells = 0;
        const gkl_shim_pairhmm_batch &batch = call.batch;
        for (int64_t g = 0; g < batch.regions; g++) {
            const int64_t *reads = batch.region_reads + g,
                          *haplotypes = batch.region_haplotypes + g;
            const int64_t per_row = haplotypes[1] - haplotypes[0];
            for (int64_t h = haplotypes[0], end; h < haplotypes[1]; h = end) {
                end = piece_end(batch.haplotype_offsets, h, haplotypes[1]);
                for (int64_t r = reads[0]; r < reads[1]; r += kPieceReads) {
                    const bool full = chunk_.add(
                        call, {g, r, std::min(kPieceReads, reads[1] - r), h, end - h,
                               out + (r - reads[0]) * per_row + (h - haplotypes[0]), per_row});
                    if (full) computed_cells += compute_chunk();
                }
            }
            out += (reads[1] - reads[0]) * per_row;
        }
        if (chunk_.count() > 0) computed_cells += compute_chunk();
        return computed_cells;
    }

   protected:
    typedef hmm::Piece<Method> Piece;
    typedef HaplotypeSet<Method> Set;
    typedef TileTask<Method> Task;

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
        chunk_.for_each_set([this](const Piece &piece, const Set &set) {
            for (int32_t read = 0; read < piece.reads().count(); read++) mark(piece, set, read);
        });
    }

    // The first step: computes the pairs of all reads up to a length, with the kernels of the call.
    // Returns whether pairs lack a result now: those not trusted, those of longer reads, and those
    // of sets without a plan.
    bool compute_all(int32_t longest) {
        unfinished_ = false;
        tiles_.clear();
        chunk_.for_each_set([&](const Piece &piece, const Set &set) {
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
        chunk_.for_each_set([&](const Piece &piece, const Set &set) {
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

    // Returns the number of cells that it planned.
    int64_t compute_chunk() {
        const struct Clear {
            ~Clear() { chunk.clear(); }
            Chunk<Method> &chunk;
        } at_the_end{chunk_};
        if (chunk_.count() == 1)
            plan(0);
        else
            parallel(chunk_.count(), Method::kCellsPerLetter * chunk_.letters(),
                     [this](int64_t k) { plan(k); });
        cells_ = 0;
        chunk_.for_each_set([this](const Piece &piece, const Set &set) {
            cells_ += piece.reads().bases() * piece.columns(set);
        });
        const int64_t planned = cells_;
        compute_pieces();
        return planned;
    }

    // Calls task(k) for all k in [0, count), on as many threads as the number of cells justifies.
    template <class Each>
    void parallel(int64_t count, int64_t cells, const Each &task) {
        parallel_for(count, cells / Method::kCellsPerNanosecond, call_->threads, [&](int64_t k) {
            const struct Trim {
                ~Trim() { memory.trim(); }
                TileMemory<Method> &memory;
            } at_the_end{memory()};
            task(k);
        });
    }

    void plan(int64_t k) {
        Piece &piece = chunk_[k];
        if (!skips(piece)) piece.plan(*call_, &memory().planner);
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
    Chunk<Method> chunk_;
    Tiles<Method> tiles_;
    int64_t cells_;                 // of the listed tiles
    std::atomic<bool> unfinished_;  // some pair lacks its result
};

}  // namespace hmm
}  // namespace gkl_shim

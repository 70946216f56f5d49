// The flow of the CPU engine. It plans the regions and computes their tiles in single precision.
// Pairs whose result is not trusted are computed again in double precision, and if need be with
// rescaling. Each step is one parallel loop over a chunk of regions. NaN marks a pair that still
// lacks its result.
#include "pairhmm/cpu/engine.h"

#include <math.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <vector>

#include "common/cpu.h"
#include "common/floating_point_mode.h"
#include "common/per_thread.h"
#include "common/thread_pool.h"
#include "pairhmm/cpu/memory.h"
#include "pairhmm/cpu/piece.h"
#include "pairhmm/cpu/tiles.h"
#include "pairhmm/letters.h"

namespace gkl_shim {
namespace pairhmm {
namespace {

// The cells that a thread computes in a nanosecond, about, set-up included. Sorting a haplotype's
// letters costs about as much as 16 cells a letter.
constexpr int64_t kCellsPerNanosecond = 6, kCellsPerSortedLetter = 16;

PerThread<TileMemory> tile_memory;

// Pieces of regions that are computed together, in steps of rising precision.
class Chunk {
   public:
    void begin(const CpuSettings &settings, const gkl_shim_pairhmm_batch &batch,
               CpuCounts *counts) {
        settings_ = &settings;
        batch_ = &batch;
        counts_ = counts;
        count_ = letters_ = bases_ = 0;
    }

    // Adds a piece, and computes the chunk once it is large enough.
    void add(const Bounds &bounds) {
        if (int64_t(pieces_.size()) == count_) pieces_.push_back(std::make_unique<Piece>());
        Piece &piece = *pieces_[count_++];
        kept_ -= piece.kept_bytes();
        piece.begin(*batch_, bounds);
        kept_ += piece.kept_bytes();
        const int64_t *reads = batch_->read_offsets + bounds.first_read;
        const int64_t *haplotypes = batch_->haplotype_offsets + bounds.first_haplotype;
        const int64_t letters = haplotypes[bounds.haplotypes] - haplotypes[0];
        letters_ += letters;
        bases_ += reads[bounds.reads] - reads[0] + letters +
                  (bounds.reads + bounds.haplotypes) * kSequenceBases + kRegionBases;
        if (bases_ >= kChunkBases) finish();
    }

    // Computes the last, incomplete chunk.
    void finish() {
        const struct Trim {
            ~Trim() { chunk.trim(); }
            Chunk &chunk;
        } at_the_end{*this};
        if (count_ > 0) compute();
    }

   private:
    typedef void (Chunk::*Step)(int64_t k);

    // Plans keep their memory for the next chunks, up to a limit.
    void trim() {
        if (kept_ > int64_t(kKeptBytes)) {
            pieces_.clear();
            kept_ = 0;
        }
        count_ = letters_ = bases_ = 0;
    }

    void compute() {
        unfinished_ = false;
        if (count_ == 1)
            plan(0);
        else
            parallel(count_, kCellsPerSortedLetter * letters_, &Chunk::plan);

        int64_t cells = planned_cells();
        counts_->computed_cells += cells;
        if (settings_->double_precision || settings_->only_missing) {
            list_double_tiles(&cells);
        } else {
            list_single_tiles();
            parallel(tiles_.count(), cells, &Chunk::single_tile);
            if (!unfinished_) return;
            counts_->rescued_pairs += list_double_tiles(&cells);
        }
        parallel(tiles_.count(), cells, &Chunk::double_tile);
        counts_->rescaled_pairs += list_rescaled_tiles(&cells);
        parallel(tiles_.count(), cells, &Chunk::rescaled_tile);
    }

    // Calls step(k) for all k in [0, count), on as many threads as the number of cells justifies.
    void parallel(int64_t count, int64_t cells, Step step) {
        parallel_for(count, cells / kCellsPerNanosecond, settings_->threads, [&](int64_t k) {
            const struct Trim {
                ~Trim() { memory.trim(); }
                TileMemory &memory;
            } at_the_end{*tile_memory};
            (this->*step)(k);
        });
    }

    void plan(int64_t k) {
        Piece &piece = *pieces_[k];
        piece.order_reads(settings_->only_missing);
        piece.plan(*settings_, &tile_memory->planner);
        // Only reads that single precision does not take start as missing.
        if (settings_->only_missing) return;
        const int64_t left =
            settings_->double_precision ? int64_t(piece.reads().size()) : piece.too_long();
        piece.mark_missing(left);
        if (left > 0) unfinished_ = true;
    }

    int64_t planned_cells() const {
        int64_t cells = 0;
        for (int64_t k = 0; k < count_; k++)
            cells += pieces_[k]->read_bases() * pieces_[k]->columns();
        return cells;
    }

    void list_single_tiles() {
        const CpuBuild &build = *settings_->build;
        tiles_.clear();
        for (int64_t k = 0; k < count_; k++) {
            Piece &piece = *pieces_[k];
            const int32_t first = int32_t(piece.too_long());
            for (int32_t set = 0; set < piece.set_count(); set++)
                tiles_.add(
                    piece, set, first, [](int32_t) { return true; },
                    [&](int32_t) { return build.single_wide.lanes; });
        }
        tiles_.finish();
        for (TileTask &tile : tiles_) tile.kernel = &single_kernel(build, tile.count);
    }

    int64_t list_double_tiles(int64_t *cells) {
        const CpuBuild &build = *settings_->build;
        const int64_t pairs = list_unfinished(
            cells, [&](const Piece &, int32_t rows) { return double_lanes(build, rows); });
        for (TileTask &tile : tiles_) tile.kernel = &double_kernel(build, tile.rows(), tile.count);
        return pairs;
    }

    int64_t list_rescaled_tiles(int64_t *cells) {
        return list_unfinished(cells, [&](const Piece &piece, int32_t rows) {
            return rescaled_kernel(*settings_->build, rows, piece.longest_haplotype()).lanes;
        });
    }

    // Lists tiles of the reads that lack a result. Returns the number of pairs without one; *cells
    // receives the tiles' cells.
    template <class Lanes>
    int64_t list_unfinished(int64_t *cells, Lanes lanes) {
        int64_t pairs = 0;
        *cells = 0;
        tiles_.clear();
        for (int64_t k = 0; k < count_; k++) {
            Piece &piece = *pieces_[k];
            for (int32_t s = 0; s < piece.set_count(); s++) {
                const HaplotypeSet &set = piece.set(s);
                const auto wanted = [&](int32_t read) {
                    const double *results = piece.results(read);
                    int64_t lacking = 0;
                    for (int32_t h = set.first; h < set.first + set.count; h++)
                        lacking += isnan(results[piece.column(h)]);
                    pairs += lacking;
                    if (lacking) *cells += piece.reads()[size_t(read)].length * set.plan.columns();
                    return lacking > 0;
                };
                tiles_.add(piece, s, 0, wanted, [&](int32_t rows) { return lanes(piece, rows); });
            }
        }
        tiles_.finish();
        return pairs;
    }

    void single_tile(int64_t k) {
        const TileTask &task = tiles_[k];
        const FloatingPointMode mode(Subnormals::kFlushed);
        const Tile tile = tile_memory->make_tile(*settings_, *batch_, task);
        const HaplotypeSet &set = task.piece->set(task.set);
        const double *computed = tile_memory->compute(*task.kernel, tile, set.plan.view());
        bool untrusted = false;
        for (int32_t lane = 0; lane < task.count; lane++) {
            double *results = task.piece->results(task.reads[lane]);
            for (int32_t h = 0; h < set.count; h++) {
                const double result =
                    computed[set.plan.join_of[size_t(h)] * task.kernel->lanes + lane];
                results[task.piece->column(set.first + h)] = result;
                untrusted |= isnan(result);
            }
        }
        if (untrusted) unfinished_ = true;
    }

    // The haplotypes of the tile's set for which some read of the tile lacks a result.
    const std::vector<int32_t> &choose_haplotypes(const TileTask &task) {
        std::vector<int32_t> &chosen = tile_memory->chosen;
        const HaplotypeSet &set = task.piece->set(task.set);
        chosen.clear();
        for (int32_t h = set.first; h < set.first + set.count; h++)
            for (int32_t lane = 0; lane < task.count; lane++)
                if (isnan(task.result(lane, h))) {
                    chosen.push_back(h);
                    break;
                }
        return chosen;
    }

    void double_tile(int64_t k) {
        const TileTask &task = tiles_[k];
        TileMemory &memory = *tile_memory;
        const std::vector<int32_t> &chosen = choose_haplotypes(task);
        const Plan *plan = &task.plan();
        if (chosen.size() < plan->join_of.size()) {
            memory.plan_some(task.piece->haplotypes());
            plan = &memory.plan;
        }
        const Tile tile = memory.make_tile(*settings_, *batch_, task);
        const double *computed = memory.compute(*task.kernel, tile, plan->view());
        for (int32_t lane = 0; lane < task.count; lane++)
            for (size_t c = 0; c < chosen.size(); c++) {
                double &result = task.result(lane, chosen[c]);
                if (isnan(result)) result = computed[plan->join_of[c] * task.kernel->lanes + lane];
            }
    }

    void rescaled_tile(int64_t k) {
        const TileTask &task = tiles_[k];
        TileMemory &memory = *tile_memory;
        const RescaledKernel &kernel =
            rescaled_kernel(*settings_->build, task.rows(), task.piece->longest_haplotype());
        const Tile all = memory.make_tile(*settings_, *batch_, task);
        for (const int32_t h : choose_haplotypes(task)) {
            const Haplotype &haplotype = task.piece->haplotypes()[size_t(h)];
            Tile tile;
            tile.count = 0;
            double *where[kMaxLanes];
            for (int32_t lane = 0; lane < task.count; lane++) {
                double &result = task.result(lane, h);
                if (!isnan(result)) continue;
                where[tile.count] = &result;
                tile.reads[tile.count++] = all.reads[lane];
            }
            double out[kMaxLanes];
            kernel.compute(tile, haplotype,
                           memory.workspace.get(kernel.workspace(tile.rows(), haplotype)), out);
            for (int32_t lane = 0; lane < tile.count; lane++)
                *where[lane] =
                    settings_->as_gkl && out[lane] < kGklSmallestLog10 ? -HUGE_VAL : out[lane];
        }
    }

    const CpuSettings *settings_;
    const gkl_shim_pairhmm_batch *batch_;
    CpuCounts *counts_;
    std::vector<std::unique_ptr<Piece>>
        pieces_;  // the first count_ are in use; the others keep their memory
    int64_t count_ = 0, letters_ = 0, bases_ = 0;  // of the pieces in use
    int64_t kept_ = 0;                             // bytes that all pieces keep
    Tiles tiles_;
    std::atomic<bool> unfinished_;  // some pair lacks its result
};

// A caller's plans, which keep their memory between calls.
PerThread<Chunk> caller_chunk;

// The end of the piece that begins at haplotype `first`.
int64_t piece_end(const int64_t *offsets, int64_t first, int64_t end) {
    end = std::min(end, first + kPieceHaplotypes);
    const int64_t *const beyond =
        std::upper_bound(offsets + first, offsets + end + 1, offsets[first] + kPieceLetters);
    return std::max(first + 1, beyond - offsets - 1);
}

}  // namespace

const Builds<CpuBuild> &cpu_builds() {
    static const Builds<CpuBuild> builds(GKL_SHIM_COMPILED_BUILDS);
    return builds;
}

CpuCounts compute_on_cpu(const CpuSettings &settings, const gkl_shim_pairhmm_batch &batch,
                         double *log10_likelihoods) {
    CpuCounts counts;
    Chunk &chunk = *caller_chunk;
    chunk.begin(settings, batch, &counts);
    for (int64_t g = 0; g < batch.regions; g++) {
        const int64_t *reads = batch.region_reads + g, *haplotypes = batch.region_haplotypes + g;
        const int64_t per_row = haplotypes[1] - haplotypes[0];
        for (int64_t h = haplotypes[0], end; h < haplotypes[1]; h = end) {
            end = piece_end(batch.haplotype_offsets, h, haplotypes[1]);
            for (int64_t r = reads[0]; r < reads[1]; r += kPieceReads)
                chunk.add({r, std::min(kPieceReads, reads[1] - r), h, end - h,
                           log10_likelihoods + (r - reads[0]) * per_row + (h - haplotypes[0]),
                           per_row});
        }
        log10_likelihoods += (reads[1] - reads[0]) * per_row;
    }
    chunk.finish();
    return counts;
}

}  // namespace pairhmm
}  // namespace gkl_shim

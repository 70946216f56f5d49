#include "hmm/cpu/engine.h"

#include <math.h>

#include <algorithm>
#include <limits>

#include "common/floating_point_mode.h"
#include "common/thread_pool.h"
#include "hmm/letters.h"

namespace gkl_shim::hmm {
namespace {

const PerThread<TileMemory> tile_memory;

// The end of the piece that begins at haplotype `first`.
int64_t piece_end(const int64_t *offsets, int64_t first, int64_t end) {
    end = std::min(end, first + kPieceHaplotypes);
    const int64_t *const beyond =
        std::upper_bound(offsets + first, offsets + end + 1, offsets[first] + kPieceLetters);
    return std::max(first + 1, beyond - offsets - 1);
}

// Prefetches a read that another core may have written last, all cache lines at once.
void prefetch(const ReadView &read) {
    for (const uint8_t *track : {read.letters, read.base_quals, read.insertion_quals,
                                 read.deletion_quals, read.continuation_quals})
        for (int32_t k = 0; k < read.length; k += 64) __builtin_prefetch(track + k);
}

// Replaces the letters of a tile's reads by their codes.
void encode_reads(bool as_gkl, Scratch *letters, Tile *tile) {
    size_t size = 0;
    for (int32_t lane = 0; lane < tile->count; lane++) size += size_t(tile->reads[lane].length);
    uint8_t *to = static_cast<uint8_t *>(letters->get(size));
    for (int32_t lane = 0; lane < tile->count; lane++) {
        ReadView &read = tile->reads[lane];
        encode(as_gkl, read.letters, read.length, to);
        read.letters = to;
        to += read.length;
    }
}

}  // namespace

const PerThread<std::unique_ptr<Engine>> engines;

const Builds<CpuBuild> &cpu_builds() {
    static const Builds<CpuBuild> builds(GKL_SHIM_COMPILED_BUILDS);
    return builds;
}

bool Chunk::add(const Call &call, const Bounds &bounds) {
    if (int64_t(pieces_.size()) == count_) pieces_.push_back(std::make_unique<Piece>());
    Piece &piece = *pieces_[size_t(count_++)];
    kept_ -= piece.kept_bytes();
    piece.begin(call, bounds);
    kept_ += piece.kept_bytes();
    const int64_t *reads = call.batch.read_offsets + bounds.first_read;
    letters_ += piece.letters();
    bases_ += reads[bounds.reads] - reads[0] + piece.letters() +
              (bounds.reads + bounds.haplotypes) * kSequenceBases + kRegionBases;
    return bases_ >= kChunkBases;
}

void Chunk::clear() {
    if (kept_ > int64_t(kKeptBytes)) {
        pieces_.clear();
        kept_ = 0;
    }
    count_ = letters_ = bases_ = 0;
}

int64_t Engine::compute(const Call &call, double *out, const std::function<void()> &steps) {
    call_ = &call;
    chunk_.clear();
    int64_t computed_cells = 0;
    const gkl_shim_pairhmm_batch &batch = call.batch;
    for (int64_t g = 0; g < batch.regions; g++) {
        const int64_t *reads = batch.region_reads + g, *haplotypes = batch.region_haplotypes + g;
        const int64_t per_row = haplotypes[1] - haplotypes[0];
        for (int64_t h = haplotypes[0], end; h < haplotypes[1]; h = end) {
            end = piece_end(batch.haplotype_offsets, h, haplotypes[1]);
            for (int64_t r = reads[0]; r < reads[1]; r += kPieceReads) {
                const bool full = chunk_.add(
                    call, {g, r, std::min(kPieceReads, reads[1] - r), h, end - h,
                           out + (r - reads[0]) * per_row + (h - haplotypes[0]), per_row});
                if (full) computed_cells += compute_chunk(steps);
            }
        }
        out += (reads[1] - reads[0]) * per_row;
    }
    if (chunk_.count() > 0) computed_cells += compute_chunk(steps);
    return computed_cells;
}

// Returns the number of cells that it planned.
int64_t Engine::compute_chunk(const std::function<void()> &steps) {
    const struct Clear {
        ~Clear() { chunk.clear(); }
        Chunk &chunk;
    } at_the_end{chunk_};
    if (chunk_.count() == 1)
        plan(0);
    else
        parallel(chunk_.count(), call_->cells_per_letter * chunk_.letters(),
                 [this](int64_t k) { plan(k); });
    cells_ = 0;
    chunk_.for_each_set([this](const Piece &piece, const HaplotypeSet &set) {
        cells_ += piece.reads().bases() * piece.columns(set);
    });
    const int64_t planned = cells_;
    steps();
    return planned;
}

// A piece that has nothing to compute is not planned.
void Engine::plan(int64_t k) {
    Piece &piece = chunk_[k];
    if (!settings().only_missing || !piece.reads().complete())
        piece.plan(*call_, &memory().planners);
}

// Calls task(k) for all k in [0, count), on as many threads as the number of cells justifies.
void Engine::parallel(int64_t count, int64_t cells, const std::function<void(int64_t k)> &task) {
    parallel_for(count, cells / call_->cells_per_nanosecond, settings().threads, [&](int64_t k) {
        const struct Trim {
            ~Trim() { memory.trim(); }
            TileMemory &memory;
        } at_the_end{memory()};
        task(k);
    });
}

bool Engine::compute_all(int32_t longest) {
    unfinished_ = false;
    tiles_.clear();
    chunk_.for_each_set([&](const Piece &piece, const HaplotypeSet &set) {
        const auto wanted = [&](int32_t read) {
            const bool now = set.planned && piece.reads().length(read) <= longest;
            if (!now) mark(piece, set, read);
            return now;
        };
        tiles_.add(piece, set, wanted,
                   [&](int32_t rows) { return lanes_for(call_->kernels, rows, set.plan.view()); });
    });
    tiles_.finish();
    for_each_tile([this](const TileTask &task) { compute_tile(task); });
    return unfinished_;
}

void Engine::compute_tile(const TileTask &task) {
    const FloatingPointMode mode(Subnormals::kFlushed);
    const Tile tile = make_tile(task);
    const HaplotypeSet &set = *task.set;
    const PlanView plan = set.plan.view();
    const TileKernel &kernel = kernel_for(call_->kernels, tile.rows(), task.count, plan);
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

void Engine::mark(const Piece &piece, const HaplotypeSet &set, int32_t read) {
    for (int32_t h = set.first; h < set.first + set.count; h++)
        piece.result(read, h) = std::numeric_limits<double>::quiet_NaN();
    unfinished_ = true;
}

void Engine::mark_all() {
    chunk_.for_each_set([this](const Piece &piece, const HaplotypeSet &set) {
        for (int32_t read = 0; read < piece.reads().count(); read++) mark(piece, set, read);
    });
}

int64_t Engine::list_missing(const Lanes &lanes) {
    int64_t pairs = 0;
    cells_ = 0;
    tiles_.clear();
    chunk_.for_each_set([&](const Piece &piece, const HaplotypeSet &set) {
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

void Engine::for_each_tile(const std::function<void(const TileTask &task)> &compute, int64_t cost) {
    parallel(tiles_.count(), cells_ * cost, [&](int64_t k) { compute(tiles_[k]); });
}

Tile Engine::make_tile(const TileTask &task) const {
    Tile tile;
    tile.count = task.count;
    for (int32_t lane = 0; lane < task.count; lane++) {
        tile.reads[lane] = task.piece->reads().view(task.reads[lane]);
        if (settings().threads > 1) prefetch(tile.reads[lane]);
    }
    // PDHMM's kernels look the letters up.
    if (!call_->flags) encode_reads(settings().as_gkl, &memory().letters, &tile);
    return tile;
}

const std::vector<int32_t> &Engine::missing_haplotypes(const TileTask &task) const {
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

void Engine::compute_missing(
    const TileTask &task,
    const std::function<void(const Tile &tile, int32_t h, double *results)> &compute) const {
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

TileMemory &Engine::memory() const { return *tile_memory; }

}  // namespace gkl_shim::hmm

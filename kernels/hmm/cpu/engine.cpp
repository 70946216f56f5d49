#include "hmm/cpu/engine.h"

#include <math.h>

#include <algorithm>
#include <limits>

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
        const int64_t pairs = (reads[1] - reads[0]) * per_row;
        if (!call.settings.only_missing)
            std::fill_n(out, pairs, std::numeric_limits<double>::quiet_NaN());
        for (int64_t h = haplotypes[0], end; h < haplotypes[1]; h = end) {
            end = piece_end(batch.haplotype_offsets, h, haplotypes[1]);
            for (int64_t r = reads[0]; r < reads[1]; r += kPieceReads) {
                const bool full = chunk_.add(
                    call, {g, r, std::min(kPieceReads, reads[1] - r), h, end - h,
                           out + (r - reads[0]) * per_row + (h - haplotypes[0]), per_row});
                if (full) computed_cells += compute_chunk(steps);
            }
        }
        out += pairs;
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
        cells_ += piece.bases() * piece.columns(set);
    });
    const int64_t planned = cells_;
    steps();
    return planned;
}

// A piece that has nothing to compute is not planned.
void Engine::plan(int64_t k) {
    Piece &piece = chunk_[k];
    if (!settings().only_missing || !piece.complete()) piece.plan(*call_, &memory().planners);
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

// Lists tiles of the reads that lack a result. Returns the number of pairs that lack one.
int64_t Engine::list_missing(const Lanes &lanes) {
    int64_t pairs = 0;
    cells_ = 0;
    tiles_.clear();
    chunk_.for_each_set([&](const Piece &piece, const HaplotypeSet &set) {
        int32_t room = 0;
        for (int32_t read = 0; read < piece.read_count(); read++) {
            const int32_t missing = piece.missing(read, set), rows = piece.length(read);
            if (missing == 0) continue;
            if (room == 0) {
                room = lanes(piece, set, rows);
                if (room == 0) continue;
                tiles_.push_back({&piece, &set, 0, {}});
            }
            TileTask &task = tiles_.back();
            task.reads[task.count++] = read;
            room--;
            pairs += missing;
            cells_ += rows * piece.columns(set);
        }
    });
    return pairs;
}

void Engine::for_each_tile(const std::function<void(const TileTask &task)> &compute, int64_t cost) {
    parallel(int64_t(tiles_.size()), cells_ * cost, [&](int64_t k) { compute(tiles_[size_t(k)]); });
}

int64_t Engine::compute(const Step &step) {
    const int64_t pairs = list_missing([&](const Piece &, const HaplotypeSet &set, int32_t rows) {
        const bool now = set.planned && rows <= step.longest_read;
        return now ? lanes_for(step.kernels, rows, set.plan.view()) : 0;
    });
    for_each_tile([&](const TileTask &task) { compute_tile(step, task); }, 1);
    return pairs;
}

void Engine::compute_tile(const Step &step, const TileTask &task) const {
    const FloatingPointMode mode(step.subnormals);
    const Tile tile = make_tile(task);
    const HaplotypeSet &set = *task.set;
    const PlanView plan = set.plan.view();
    const TileKernel &kernel = kernel_for(step.kernels, tile.rows(), task.count, plan);
    const double *computed = memory().compute(kernel, tile, plan);
    for (int32_t lane = 0; lane < task.count; lane++) {
        double *const results = &task.result(lane, set.first);
        for (int32_t h = 0; h < set.count; h++)
            if (isnan(results[h]))
                results[h] = computed[set.plan.join_of[size_t(h)] * kernel.lanes + lane];
    }
}

// The reads of a tile, encoded for the kernels.
Tile Engine::make_tile(const TileTask &task) const {
    Tile tile;
    tile.count = task.count;
    for (int32_t lane = 0; lane < task.count; lane++) {
        tile.reads[lane] = task.piece->view(task.reads[lane]);
        if (settings().threads > 1) prefetch(tile.reads[lane]);
    }
    // PDHMM's kernels look the letters up.
    if (!call_->flags) encode_reads(settings().as_gkl, &memory().letters, &tile);
    return tile;
}

int64_t Engine::compute_haplotypes(const Lanes &lanes, const ComputeHaplotype &compute,
                                   int64_t cost) {
    const int64_t pairs = list_missing(lanes);
    const auto compute_task = [&](const TileTask &task) {
        const Tile all = make_tile(task);
        for (int32_t h = task.set->first; h < task.set->first + task.set->count; h++) {
            Tile tile;
            tile.count = 0;
            double *where[kMaxLanes], results[kMaxLanes];
            for (int32_t lane = 0; lane < task.count; lane++) {
                double &result = task.result(lane, h);
                if (!isnan(result)) continue;
                where[tile.count] = &result;
                tile.reads[tile.count++] = all.reads[lane];
            }
            if (tile.count == 0) continue;
            compute(task, tile, task.piece->haplotypes()[size_t(h)], results);
            for (int32_t lane = 0; lane < tile.count; lane++) *where[lane] = results[lane];
        }
    };
    for_each_tile(compute_task, cost);
    return pairs;
}

TileMemory &Engine::memory() const { return *tile_memory; }

}  // namespace gkl_shim::hmm

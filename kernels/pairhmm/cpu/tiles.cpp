#include "pairhmm/cpu/tiles.h"

#include <algorithm>

#include "common/thread_pool.h"
#include "pairhmm/cpu/memory.h"
#include "pairhmm/letters.h"

namespace gkl_shim {
namespace pairhmm {
namespace {

// The cost of stealing a tile's tails, in columns of each row: the thief computes the coefficients
// again, and the values to join move from one core to another.
constexpr int64_t kStealingColumns = 32;
// Stealing must gain at least this many cells, about 3 us of work.
constexpr int64_t kLeastGain = 2000;

// Prefetches a read that another core may have written last, all cache lines at once.
void prefetch(const ReadView &read) {
    for (const uint8_t *track : {read.letters, read.base_quals, read.insertion_quals,
                                 read.deletion_quals, read.continuation_quals})
        for (int32_t k = 0; k < read.length; k += 64) __builtin_prefetch(track + k);
}

}  // namespace

void OfferedTails::begin(const Tiles &tiles, int threads) {
    tiles_ = &tiles;
    threads_ = threads;
    first_ = threads == 1 ? tiles.count() : std::max<int64_t>(tiles.count() - 2 * threads, 0);
}

void OfferedTails::offer() {
    while (int64_t(tails_.size()) < tiles_->count() - first_)
        tails_.push_back(std::make_unique<Tails>());
    for (int64_t k = first_; k < tiles_->count(); k++) {
        const TileTask &task = (*tiles_)[k];
        Tails &tails = *tails_[size_t(k - first_)];
        const size_t bytes = task.kernel->saved_tails(task.rows(), task.plan().view());
        tails.rows_left = task.rows();
        tails.taken = false;
        tails.done = false;
        tails.reserved = bytes > kTailBytes;
        if (!tails.reserved) tails.saved.get(bytes);
    }
}

int64_t OfferedTails::stealing_threads(int64_t columns) const {
    for (int64_t k = first_; k < tiles_->count(); k++) {
        const TileTask &task = (*tiles_)[k];
        const int64_t tail = columns < 0 ? task.plan().tails.columns() : columns;
        if (task.rows() * (tail - kStealingColumns) > kLeastGain) return threads_ - 1;
    }
    return 0;
}

Tails *OfferedTails::of(int64_t tile) const {
    return tile < first_ ? nullptr : tails_[size_t(tile - first_)].get();
}

// The cells that stealing the tails of a tile now would save its own thread.
int64_t OfferedTails::gain(int64_t tile) const {
    const TileTask &task = (*tiles_)[tile];
    const Tails &tails = *tails_[size_t(tile - first_)];
    if (tails.reserved.load(std::memory_order_relaxed)) return 0;
    const int64_t rows = task.rows();
    const int64_t left = __atomic_load_n(&tails.rows_left, __ATOMIC_RELAXED);
    return std::min(rows * task.plan().tails.columns(),
                    left * task.plan().heads.columns() - rows * kStealingColumns);
}

int64_t OfferedTails::reserve() {
    for (;;) {
        int64_t best = -1, most = kLeastGain;
        for (int64_t k = first_; k < tiles_->count(); k++)
            if (const int64_t gained = gain(k); gained > most) best = k, most = gained;
        if (best < 0 || !tails_[size_t(best - first_)]->reserved.exchange(true)) return best;
    }
}

void OfferedTails::trim() {
    for (const auto &tails : tails_) tails->saved.trim(kKeptBytes);
}

Tile TileMemory::make_tile(const CpuSettings &settings, const gkl_shim_pairhmm_batch &batch,
                           const TileTask &task) {
    Tile tile;
    tile.count = task.count;
    size_t size = 0;
    for (int32_t lane = 0; lane < task.count; lane++) {
        const ReadOrder &read = task.piece->reads()[size_t(task.reads[lane])];
        const int64_t at = batch.read_offsets[task.piece->first_read() + read.index];
        tile.reads[lane] = {batch.read_bases + at,         batch.base_quals + at,
                            batch.insertion_quals + at,    batch.deletion_quals + at,
                            batch.continuation_quals + at, read.length};
        if (settings.threads > 1) prefetch(tile.reads[lane]);
        size += size_t(read.length);
    }
    uint8_t *to = static_cast<uint8_t *>(letters.get(size));
    for (int32_t lane = 0; lane < task.count; lane++) {
        ReadView &read = tile.reads[lane];
        encode(settings.as_gkl, read.letters, read.length, to);
        read.letters = to;
        to += read.length;
    }
    return tile;
}

const double *TileMemory::compute(const TileKernel &kernel, const Tile &tile, const PlanView &with,
                                  Tails *tails) {
    const TileBuffers memory = buffers(kernel, tile, with);
    double *out = static_cast<double *>(
        results.get(size_t(with.join_count) * size_t(kernel.lanes) * sizeof(double)));
    SharedTails alone = {};  // no other thread sees it
    if (!kernel.compute(tile, with, memory, tails ? tails : &alone) && tails) {
        wait_for(tails->done);
        kernel.join(tile, with, memory, tails->saved.get(0));
    }
    kernel.finish(tile, with, memory, out);
    return out;
}

void TileMemory::plan_some(const std::vector<Letters> &all) {
    haplotypes.resize(chosen.size());
    for (size_t c = 0; c < chosen.size(); c++) haplotypes[c] = all[size_t(chosen[c])];
    planner.make(haplotypes.data(), int64_t(chosen.size()), &plan);
}

void TileMemory::trim() {
    for (Scratch *buffer : {&coefficients, &workspace, &results, &letters})
        buffer->trim(kKeptBytes);
    planner.trim(kKeptBytes);
}

}  // namespace pairhmm
}  // namespace gkl_shim

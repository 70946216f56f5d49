#include "pairhmm/cpu/tiles.h"

#include "pairhmm/cpu/memory.h"
#include "pairhmm/letters.h"

namespace gkl_shim {
namespace pairhmm {
namespace {

// Prefetches a read that another core may have written last, all cache lines at once.
void prefetch(const ReadView &read) {
    for (const uint8_t *track : {read.letters, read.base_quals, read.insertion_quals,
                                 read.deletion_quals, read.continuation_quals})
        for (int32_t k = 0; k < read.length; k += 64) __builtin_prefetch(track + k);
}

}  // namespace

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

const double *TileMemory::compute(const TileKernel &kernel, const Tile &tile,
                                  const PlanView &with) {
    const int32_t rows = tile.rows();
    const TileBuffers buffers = {coefficients.get(kernel.coefficients(rows, with)),
                                 workspace.get(kernel.workspace(rows, with))};
    double *out = static_cast<double *>(
        results.get(size_t(with.join_count) * size_t(kernel.lanes) * sizeof(double)));
    kernel.compute(tile, with, buffers, out);
    return out;
}

void TileMemory::plan_some(const std::vector<Haplotype> &all) {
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

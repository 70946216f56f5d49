#include <algorithm>
#include <utility>
#include <vector>

#include "hmm/cuda/planner/steps.h"

namespace gkl_shim::pairhmm {
namespace {

// Lists stripes so that a warp seldom waits for the one before: the first stripes of all reads,
// then the second ones and so on, and of each the reads with the most stripes first.
void rank_stripes(ChunkPlan *plan, int32_t first_tile) {
    std::vector<int32_t> reads_of;  // by stripes
    const auto each_read = [&](auto visit) {
        for (int64_t k = 0; k < plan->group_count; k++)
            for (int64_t p = plan->groups[k]->first_part; p < plan->groups[k]->end_part; p++) {
                if (!plan->parts[p].striped) continue;
                for (int32_t r = 0; r < plan->parts[p].rows; r++) {
                    const size_t row = size_t(plan->parts[p].first_row + r);
                    visit(&plan->groups[k]->ranks[row],
                          size_t(stripes_of(plan->groups[k]->reads[row].length)));
                }
            }
    };
    each_read([&](const int32_t *, size_t stripes) {
        if (reads_of.size() <= stripes) reads_of.resize(stripes + 1);
        reads_of[stripes]++;
    });
    // How many reads have more stripes.
    std::vector<int32_t> rank(reads_of.size());
    int32_t reads = 0;
    for (size_t stripes = reads_of.size() - 1; stripes > 0; stripes--) {
        rank[stripes] = reads;
        reads += reads_of[stripes];
    }
    plan->first_stripe.assign(reads_of.size(), first_tile);
    for (size_t stripe = 1; stripe < reads_of.size(); stripe++)
        plan->first_stripe[stripe] =
            plan->first_stripe[stripe - 1] + rank[stripe] + reads_of[stripe];
    each_read([&](int32_t *of_read, size_t stripes) { *of_read = rank[stripes]++; });
}

// Orders tiles by kernel, and those of a kernel by length, the longest first.
void place_tiles(ChunkPlan *plan) {
    PlannedChunk &chunk = plan->chunk;
    // Tiles are sorted by columns, in steps of a quarter or less.
    enum { kSteps = 4 * 32 };
    const auto step_of = [](const RegionPart &part) {
        const uint32_t columns = uint32_t(part.columns) | 4;
        const int exponent = 31 - __builtin_clz(columns);
        return kSteps - 1 - (4 * exponent + int(columns >> (exponent - 2) & 3));
    };
    int32_t tiles[GKL_SHIM_PAIRHMM_CUDA_KERNELS][kSteps] = {};
    for (const RegionPart &part : plan->parts) tiles[part.width][step_of(part)] += part.tiles;
    int32_t tile = 0;
    for (int w = 0; w < GKL_SHIM_PAIRHMM_CUDA_KERNELS; w++) {
        const int32_t first_tile = tile;
        for (int32_t &count : tiles[w]) tile += std::exchange(count, tile);
        chunk.first_tile[w] = first_tile;
        chunk.tiles[w] = tile - first_tile;
    }
    plan->tile_count = tile;
    chunk.scratch_bytes = 0;
    for (RegionPart &part : plan->parts) {
        int32_t &next = tiles[part.width][step_of(part)];
        part.first_tile = next;
        part.scratch = chunk.scratch_bytes;
        next += part.tiles;
        chunk.scratch_bytes += part.tiles * plan->tile_scratch(part);
    }
    chunk.seams = chunk.scratch_bytes;
    chunk.seam_bytes = 0;
    if (chunk.tiles[GKL_SHIM_PAIRHMM_CUDA_WIDTHS] == 0) return;
    chunk.seam_bytes = gpu::aligned(sizeof(int32_t));
    rank_stripes(plan, chunk.first_tile[GKL_SHIM_PAIRHMM_CUDA_WIDTHS]);
    for (RegionPart &part : plan->parts) {
        if (!part.striped) continue;
        part.seams = chunk.seams + chunk.seam_bytes;
        chunk.seam_bytes +=
            gpu::aligned(part.tiles * part.seam_columns() * int64_t(sizeof(BoundaryState<double>)));
    }
    chunk.scratch_bytes += chunk.seam_bytes;
}

}  // namespace

void lay_out_block(ChunkPlan *plan) {
    place_tiles(plan);
    PlannedChunk &chunk = plan->chunk;
    int64_t rows = 0, haplotypes = 0, tries = 0, events = 0, columns = kColumnMargin;
    int64_t bytes = 0, results = 0;
    chunk.computed_cells = 0;
    bool one_gap_open = true;
    int one_continuation = plan->groups[0]->one_continuation;
    const bool whole = chunk.passes == 1;
    chunk.joins = 1;
    chunk.striped_passes = chunk.striped_joins = 0;
    for (int64_t k = 0; k < plan->group_count; k++) {
        Group &group = *plan->groups[k];
        group.first_row = rows;
        group.first_haplotype = haplotypes;
        group.first_trie = tries;
        group.first_event = events;
        group.first_column = columns;
        group.first_byte = bytes;
        group.first_result = results;
        rows += int64_t(group.rows.size());
        haplotypes += int64_t(group.haplotypes.size());
        tries += int64_t(group.streams.tries.size());
        events += int64_t(group.streams.events.size());
        columns += int64_t(group.streams.columns());
        bytes += group.bytes;
        results += group.results;
        chunk.computed_cells += group.computed_cells;
        one_gap_open = one_gap_open && group.one_gap_open;
        if (group.one_continuation != one_continuation) one_continuation = -1;
        chunk.striped_passes = std::max(chunk.striped_passes, group.striped_passes);
        chunk.striped_joins = std::max(chunk.striped_joins, group.striped_joins);
        if (whole) continue;
        chunk.passes = std::max(chunk.passes, group.passes);
        chunk.joins = std::max(chunk.joins, group.joins);
    }
    int64_t at = gpu::aligned(sizeof(ChunkHeader));
    const auto place = [&at](int64_t size) {
        const int64_t here = at;
        at += gpu::aligned(size);
        return here;
    };
    plan->columns_offset = place(columns + kColumnMargin);
    plan->events_offset = place(events * int64_t(sizeof(Event)));
    plan->header.regions = place(int64_t(plan->parts.size() * sizeof(RegionRecord)));
    plan->header.tries = place(tries * int64_t(sizeof(TrieRecord)));
    plan->header.haplotypes = place(haplotypes * int64_t(sizeof(HaplotypeRecord)));
    plan->header.reads = place(rows * int64_t(sizeof(ReadRecord)));
    plan->header.tiles = place(plan->tile_count * int64_t(sizeof(TileRecord)));
    plan->header.continuation_mask = one_continuation >= 0 ? 0 : -1;
    if (one_continuation >= 0) plan->header.continuation_quals = place(1);
    chunk.tracks = at;
    plan->header.bases = place(bytes);
    plan->header.base_quals = place(bytes);
    plan->header.insertion_quals = place(bytes);
    plan->header.deletion_quals = one_gap_open ? plan->header.insertion_quals : place(bytes);
    if (one_continuation < 0) plan->header.continuation_quals = place(bytes);
    plan->header.started = chunk.seams;
    plan->bytes_after_columns = plan->events_offset - plan->columns_offset - columns;
    plan->row_count = rows;
    plan->result_count = results;
    chunk.block_bytes = at;
    chunk.results = results;
}

}  // namespace gkl_shim::pairhmm

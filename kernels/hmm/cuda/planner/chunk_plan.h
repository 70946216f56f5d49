// The plan of a chunk, which the planner's steps (steps.h) fill in one after another.
#pragma once

#include <math.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "common/thread_pool.h"
#include "gkl_shim_internal.h"
#include "gpu/kept_memory.h"
#include "hmm/cuda/kernels/block_format.h"
#include "hmm/cuda/planner/column_streams.h"
#include "hmm/cuda/planner/span.h"
#include "hmm/cuda/planner/tile_widths.h"

namespace gkl_shim::pairhmm {

// A tile before its place in the chunk is known. Its reads are the next ones of its part.
struct PackedTile {
    int32_t reads, widest;  // as in TileRecord
    uint8_t read_of[kWarp];
};

// A region's reads in a chunk. Its lists are in its group. Reads that are too long for one warp are
// in a separate part, a striped one. It follows the part with the region's other reads, and uses
// the bytes that are sent with that part.
struct RegionPart {
    // Filled in by the chunker; reads and pairs are counted in the batch.
    int64_t region, first_read, reads;
    int64_t first_pair, haplotype_count;
    bool striped;
    int64_t most_stripes;       // a read that has more is not computed
    int64_t first_byte, bytes;  // of the reads, in the batch

    // Filled in by the group planner. Places are in the group's lists.
    int32_t first_row, rows;  // the reads that are computed
    int32_t first_packed;     // tile
    int32_t first_haplotype, haplotypes;
    int32_t first_trie, heads, tails;  // streams
    int32_t first_column, columns;
    int32_t head_states, tail_states;
    int64_t trie_columns;
    int32_t width, tiles;  // of its tiles, and how many
    int64_t first_result;

    // Filled in by the layout. Places are in the chunk.
    int32_t first_tile;
    int64_t scratch;
    int64_t seams;  // of a striped part

    int64_t seam_columns() const { return columns + (heads + tails) * 2 * kSeamMargin; }
};

// Consecutive parts, which one thread plans and writes.
struct Group {
    int64_t first_part, end_part;

    // Filled in by the group planner.
    std::vector<int32_t> rows;      // which of its part's reads each row of the results is
    std::vector<ReadRecord> reads;  // these reads, tile by tile; starts are counted in the part
    std::vector<int32_t> ranks;     // by row, in striped parts only: the read's rank in the chunk
    std::vector<PackedTile> packed;
    std::vector<HaplotypeRecord> haplotypes;  // that are computed
    std::vector<int32_t> chosen;              // which of its part's each of them is
    ColumnStreams streams;
    int64_t bytes, results, computed_cells;
    int32_t passes, joins;                  // warps that the widest region needs
    int32_t striped_passes, striped_joins;  // the same for striped parts
    int64_t refused;                        // a region with a letter that is refused, or -1
    bool one_gap_open;                      // insertion and deletion qualities are the same
    int one_continuation;                   // the gap-continuation quality of all bases, or -1

    // Filled in by the layout: where the group's lists begin in the chunk's.
    int64_t first_row, first_haplotype, first_trie, first_event, first_column, first_byte,
        first_result;
};

// The settings of a planner. The limits are approximate.
struct PlannerOptions {
    int32_t precision;        // GKL_SHIM_SINGLE or GKL_SHIM_DOUBLE
    int32_t conventions;      // GKL_SHIM_STRICT or GKL_SHIM_AS_GKL
    int32_t multiprocessors;  // of the device
    int32_t rows_per_lane;    // as in gkl_shim_pairhmm_cuda_options
    int64_t cells;            // limit for a chunk
    int64_t scratch_bytes;    // limit for a chunk
    int64_t planning;         // as in gkl_shim_pairhmm_cuda_options
};

// What a chunk is made of.
struct ChunkInputs {
    const gkl_shim_pairhmm_batch *batch;
    const double *values;      // the batch's results, of which those that are NaN are wanted; null:
                               // all are wanted
    int32_t threads;           // that plan, write and collect the chunk
    int32_t chunks_in_flight;  // other chunks in flight on the device
};

// The sizes of a planned chunk, and the launches that compute it.
struct PlannedChunk {
    int64_t computed_cells;
    int64_t block_bytes, scratch_bytes;
    int64_t tracks;             // offset in the block, of which the reads' tracks are the end
    int64_t seams, seam_bytes;  // offset in the scratch, and size
    int64_t results;            // doubles that the kernels write
    // Warps a tile, for all kernels but the striped one. With more than one, each computes one
    // pass, and a second launch computes the join.
    int32_t passes;
    int32_t joins;  // warps a tile in the launch of the join
    // The same for the striped kernel, which always needs a second launch for the join.
    int32_t striped_passes, striped_joins;
    // The tiles of each kernel, in order of rows per lane; the stripes come last.
    int32_t first_tile[GKL_SHIM_PAIRHMM_CUDA_KERNELS], tiles[GKL_SHIM_PAIRHMM_CUDA_KERNELS];
};

// A chunk's reads, what the planner's steps have made of them, and what the caller needs to know.
struct ChunkPlan {
    explicit ChunkPlan(const PlannerOptions &options)
        : options(options), widths(options.precision) {}

    const PlannerOptions options;
    const TileWidths widths;

    // The input. If `values` is null, all pairs are wanted; otherwise those that are NaN there.
    gkl_shim_pairhmm_batch batch;
    const double *values;
    int32_t threads;         // that plan, write and collect it
    double multiprocessors;  // the chunk's share of them

    // `passes` is first filled in by the choice of width, the rest by the layout.
    PlannedChunk chunk = {};

    // Filled in by the chunker.
    std::vector<RegionPart> parts;
    std::vector<std::unique_ptr<Group>> groups;
    int64_t group_count, read_bases;
    int64_t nanoseconds;  // that planning takes one thread, about
    int64_t stripes;      // of long reads

    // Filled in by the choice of width.
    int32_t width;    // of tiles, unless a region's reads need a larger one
    int32_t streams;  // of a trie at most

    // Filled in by the layout.
    ChunkHeader header;
    int64_t columns_offset, events_offset;  // in the block
    int64_t bytes_after_columns;            // bytes between the last column and what follows
    int64_t row_count, result_count;
    int32_t tile_count;
    std::vector<int32_t> first_stripe;  // the tile of the chunk's first read, by stripes

    // Calls step(group) for all groups, on the chunk's threads. `nanoseconds`: about how long all
    // steps take one thread.
    template <class Step>
    void each_group(int64_t nanoseconds, Step step) {
        parallel_for(group_count, nanoseconds, threads, Calls::kSeveral,
                     [&](int64_t k) { step(*groups[k]); });
    }

    // Calls visit(first, size) for the bytes of the reads of several parts, in runs: a part's bytes
    // usually follow those of the part before. A striped part has none.
    template <class Visit>
    void each_byte_range(int64_t first_part, int64_t end_part, Visit visit) const {
        for (int64_t k = first_part, next; k < end_part; k = next) {
            const int64_t from = parts[size_t(k)].first_byte;
            int64_t end = from;
            for (next = k; next < end_part && parts[size_t(next)].first_byte == end; next++)
                end += parts[size_t(next)].bytes;
            if (end > from) visit(from, end - from);
        }
    }

    // Calls visit(to, from, size) for the runs of each track that is sent: where in the block they
    // belong, and where in the batch they are. `first_byte` is the first part's place in the tracks
    // of the block. The bytes of all reads are sent, computed or not, because they are contiguous.
    template <class Visit>
    void each_track(int64_t first_part, int64_t end_part, int64_t first_byte, Visit visit) const {
        each_byte_range(first_part, end_part, [&](int64_t from, int64_t size) {
            visit(header.bases + first_byte, batch.read_bases + from, size);
            visit(header.base_quals + first_byte, batch.base_quals + from, size);
            visit(header.insertion_quals + first_byte, batch.insertion_quals + from, size);
            if (header.deletion_quals != header.insertion_quals)
                visit(header.deletion_quals + first_byte, batch.deletion_quals + from, size);
            if (header.continuation_mask)
                visit(header.continuation_quals + first_byte, batch.continuation_quals + from,
                      size);
            first_byte += size;
        });
    }
    // The same for all parts.
    template <class Visit>
    void each_track(Visit visit) const {
        each_track(0, int64_t(parts.size()), 0, visit);
    }

    // Whether a read of the part's region belongs to it. A read that is not computed belongs to the
    // part that is not striped.
    bool belongs_to(const RegionPart &part, int64_t length) const {
        return (length > widths.longest() && stripes_of(length) <= part.most_stripes) ==
               part.striped;
    }

    // Whether results are wanted: of these pairs, of a read of a part, of a pair.
    bool any_wanted(int64_t first_pair, int64_t count) const {
        return !values || std::any_of(values + first_pair, values + first_pair + count,
                                      [](double x) { return isnan(x); });
    }
    bool read_wanted(const RegionPart &part, int64_t read) const {
        return any_wanted(part.first_pair + read * part.haplotype_count, part.haplotype_count);
    }
    bool pair_wanted(const RegionPart &part, int64_t read, int64_t haplotype) const {
        return !values || isnan(values[part.first_pair + read * part.haplotype_count + haplotype]);
    }
    // Whether a read that is wanted has pairs that are computed for the first time.
    bool read_untried(const RegionPart &part, int64_t read) const {
        if (!values) return true;
        const double *const first = values + part.first_pair + read * part.haplotype_count;
        return std::any_of(first, first + part.haplotype_count, is_untried);
    }

    // Scratch memory of a part's tile; of a stripe, its share of its read's.
    int64_t tile_scratch(const RegionPart &part) const {
        const int rows = part.striped ? int(kStripedRows) : widths.rows(part.width);
        return gpu::aligned(
            options.precision == GKL_SHIM_SINGLE
                ? TileScratch<float>(rows, part.head_states, part.tail_states).bytes
                : TileScratch<double>(rows, part.head_states, part.tail_states).bytes);
    }
};

}  // namespace gkl_shim::pairhmm

// The CUDA engine's planner: which tiles a chunk is made of, written as cuda/layout.h says. The
// interface is in gkl_shim.h.
#include <math.h>
#include <string.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <memory>
#include <vector>

#include "common/cpu.h"
#include "common/error.h"
#include "common/per_thread.h"
#include "common/thread_pool.h"
#include "gkl_shim.h"
#include "pairhmm/cuda/arrays.h"
#include "pairhmm/cuda/layout.h"
#include "pairhmm/cuda/leftovers.h"
#include "pairhmm/cuda/packing.h"
#include "pairhmm/cuda/streams.h"
#include "pairhmm/letters.h"
#include "pairhmm/plan.h"
#include "pairhmm/prefix_tries.h"

namespace gkl_shim {
namespace pairhmm {
namespace {

// Rows a lane of the kernels in cuda/kernels.cu; cuda/packing.h has the most of them.
constexpr int kSingleWidths[GKL_SHIM_CUDA_WIDTHS] = {4, 8, 12, 16, 20};
constexpr int kDoubleWidths[GKL_SHIM_CUDA_WIDTHS] = {4, 8};
// What a column of a tile costs: cycles of a multiprocessor that has many tiles at once, and of a
// warp that is alone. Measured on an H200, for each of the widths above.
constexpr double kSingleCycles[GKL_SHIM_CUDA_WIDTHS] = {18, 27, 36, 43.5, 61};
constexpr double kDoubleCycles[GKL_SHIM_CUDA_WIDTHS] = {40, 64};
constexpr double kLatencyPerRow = 9, kLatencyPerColumn = 50;
// What a lone warp's pass takes for each lane of a read besides: they come to an event in turn.
constexpr double kLatencyPerLane = 1200;

// With fewer stripes of long reads than this a multiprocessor, each is shared likewise.
constexpr int kBusyStripes = 8;

// A chunk has so many times more cells where its reads are striped: each such read takes its time,
// however many are computed side by side.
constexpr int64_t kStripedChunk = 8;

// So many regions stand for a chunk where its width is chosen.
constexpr int64_t kSample = 16;

// Columns' worth of set-up and of the meeting.
constexpr double kColumnsPerTile = 20;

// With fewer tiles than this a multiprocessor, each is shared by as many warps as make up for it:
// one a stream.
constexpr int kBusyTiles = 8;

// A chunk's reads have about so many bases at most: the block goes up while another is computed.
constexpr int64_t kChunkReadBases = int64_t(1) << 22;

// A chunk's regions have no more letters of haplotypes: planning takes memory for each, and places
// in a block are 32 bits wide. A region that has more by itself is left to the CPU engine.
constexpr int64_t kChunkLetters = int64_t(1) << 24;

// What planning and writing take on one thread, in nanoseconds; and how much of it is done by one
// at a time: enough that handing it out costs little, little enough that all threads have some.
constexpr int64_t kPlanPerRegion = 500, kPlanPerRead = 10, kPlanPerLetter = 1;
constexpr int64_t kWritePerRead = 5, kWritePerBase = 1, kFinishPerPair = 1;
constexpr int64_t kGroupNanoseconds = 20000;

static_assert(GKL_SHIM_CUDA_STRIPED_ROWS == int(kStripedRows), "as cuda/layout.h says");
static_assert(GKL_SHIM_CUDA_STRIPED_BYTES == kRingColumns * sizeof(Handed<double>), "likewise");
static_assert(GKL_SHIM_CUDA_SEAM_FILL == int(kSeamFill), "likewise");
static_assert(sizeof(gkl_shim_cuda_prefix) == sizeof(Prefix), "likewise");

int64_t rounded(int64_t bytes) { return (bytes + 255) & ~int64_t(255); }

// What a tile is before its place in the chunk is known: its reads are the next ones of its part.
struct Packed {
    int32_t reads, widest;  // as in TileRecord
    uint8_t read_of[kWarp];
};

// A region's part in a chunk. What is made of it lies in its group's lists.
// The reads of a region that are too long for one warp make a part of their own, which follows that
// of the others and uses the bytes that travel with it.
struct Part {
    int64_t region, first_read, reads;  // of the batch
    int64_t first_pair, haplotype_count;
    bool striped;
    bool left;                  // to the CPU engine: none of it is planned or travels
    int64_t most_stripes;       // of a read: one that would have more is not computed
    int64_t first_byte, bytes;  // of its reads: in the batch
    int32_t first_row, rows;    // the reads computed
    int32_t first_packed;       // of its tiles
    int32_t first_haplotype, haplotypes;
    int32_t first_trie, heads, tails;  // streams
    int32_t first_column, columns;
    int32_t head_states, tail_states;
    int64_t trie_columns;  // that are left of the haplotypes
    int32_t width, tiles;  // the index of the width of its tiles, and how many they are
    int64_t first_result;

    // In the chunk.
    int32_t first_tile;
    int64_t scratch;
    int64_t seams;  // of a striped part
};

// Consecutive parts, which one thread plans and writes.
struct Group {
    int64_t first_part, end_part;
    std::vector<int32_t> rows;      // which of its part's reads each row of the results is
    std::vector<ReadRecord> reads;  // these, tile by tile; starts are counted in the part
    std::vector<int32_t> ranks;     // of striped ones, in the chunk; of others there may be none
    std::vector<Packed> packed;
    std::vector<HaplotypeRecord> haplotypes;  // computed
    std::vector<int32_t> chosen;              // which of its part's each of these is
    Streams streams;
    int64_t bytes, results, computed_cells;
    int32_t passes, meetings;                  // of its widest region
    int32_t striped_passes, striped_meetings;  // the same of striped parts
    int64_t refused;                           // a region with a letter that is none, or -1
    bool one_gap_open;                         // qualities of insertions and deletions are the same
    int one_continuation;                      // the gap-continuation quality of all bases, or -1

    // Where it begins in the chunk.
    int64_t first_row, first_haplotype, first_trie, first_event, first_column, first_segment,
        first_byte, first_result;
};

struct PlanMemory {
    Planner planner;
    std::vector<uint8_t> letters;
    std::vector<Letters> haplotypes;
    Trie heads, tails;
    std::vector<uint8_t> steps;   // of each row
    std::vector<int32_t> sorted;  // rows, the longest first
    // Of a batch in a device's memory.
    PrefixTries tries;
    std::vector<int32_t> chosen;
    std::vector<int64_t> head_lengths, tail_lengths, first_bases, last_bases;
    std::vector<Origin> head_origins, tail_origins;
};
PerThread<PlanMemory> plan_memory;

template <class T>
void write_tables(bool as_gkl, const Tables<T> &from, CudaTables<T> *to) {
    for (int i = 0; i < kQualities; i++) {
        to->probability[i] = from.probability[i];
        to->emission[i] = {from.emission[i].agree, from.emission[i].differ};
        const T xx = from.probability[i], gm = 1 - xx;
        for (int below = 0; below <= kQualities; below++) {
            const T gm_below = below < kQualities ? 1 - from.probability[below] : T(1);
            to->backward_kappa[i * (kQualities + 1) + below] =
                scaled_backward_kappa(xx, gm_below, gm);
        }
    }
    for (int k = 0; k < kQualities * kQualities; k++) {
        const typename Tables<T>::Gap &gap = from.gap[k];
        const T inverse_mm = 1 / gap.mm;
        to->gap[k] = {scaled_alpha(gap.mi, inverse_mm), gap.inverse_alpha, gap.mm, inverse_mm};
    }
    uint8_t bytes[256];
    for (int k = 0; k < 256; k++) bytes[k] = uint8_t(k);
    encode(as_gkl, bytes, 256, to->letter);
}

}  // namespace
}  // namespace pairhmm
}  // namespace gkl_shim

using namespace gkl_shim;
using namespace gkl_shim::pairhmm;

struct gkl_shim_cuda_planner {
   public:
    explicit gkl_shim_cuda_planner(const gkl_shim_cuda_options &options) : options_(options) {
        const bool single = options_.precision == GKL_SHIM_SINGLE;
        gkl_shim_cuda_widths(options.precision, widths_);
        width_count_ = int(std::find(widths_, widths_ + GKL_SHIM_CUDA_WIDTHS, 0) - widths_);
        cycles_ = single ? kSingleCycles : kDoubleCycles;
        options_.threads = allowed_threads(options_.threads);
        longest_ = kWarp * widths_[width_count_ - 1];
        if (single) longest_ = std::min(longest_, int64_t(kLongestSingleRead));
        for (int w = 0; w < width_count_; w++)
            for (int step = 0; step <= Lengths::kMost; step++)
                lanes_of_[w][step] =
                    uint8_t(std::min<int>((step * kStep + widths_[w] - 1) / widths_[w], kWarp + 1));
    }

    bool take(const gkl_shim_pairhmm_batch &batch, const gkl_shim_cuda_prefix *prefixes,
              const double *values, gkl_shim_cuda_chunk *chunk) {
        batch_ = batch;
        prefixes_ = prefixes;
        values_ = values;
        threads_ = chunk->threads > 0 ? chunk->threads : options_.threads;
        multiprocessors_ = std::max(1.0, double(options_.multiprocessors) / (1 + chunk->company));
        choose_parts(chunk);
        return !parts_.empty();
    }

    gkl_shim_status plan(gkl_shim_cuda_chunk *chunk) {
        choose_width(chunk);
        parallel(planning_, &gkl_shim_cuda_planner::plan_group);
        for (int64_t k = 0; k < group_count_; k++)
            if (groups_[k]->refused >= 0)
                return invalid("haplotype_bases: a letter of region %lld is none of ACGTN",
                               (long long)groups_[k]->refused);
        lay_out(chunk);
        return GKL_SHIM_OK;
    }

    void write(uint8_t *block) {
        block_ = block;
        memcpy(block, &header_, sizeof header_);
        if (prefixes_) memcpy(block + kArraysRecordAt, &arrays_, sizeof arrays_);
        memset(block + columns_at_, kA, kColumnMargin);
        memset(block + events_at_ - columns_after_, kA, size_t(columns_after_));
        parallel(row_count_ * kWritePerRead + read_bases_ * kWritePerBase,
                 &gkl_shim_cuda_planner::write_group);
    }

    int64_t finish(const double *results, double *values) {
        results_ = results;
        written_ = values;
        missing_ = 0;
        parallel(results_count_ * kFinishPerPair, &gkl_shim_cuda_planner::finish_group);
        return missing_;
    }

   private:
    void parallel(int64_t nanoseconds, void (gkl_shim_cuda_planner::*step)(Group &)) {
        struct Context {
            gkl_shim_cuda_planner *planner;
            void (gkl_shim_cuda_planner::*step)(Group &);
        } context{this, step};
        parallel_for(
            group_count_, nanoseconds, threads_,
            [](void *pointer, int64_t k) {
                Context &c = *static_cast<Context *>(pointer);
                (c.planner->*c.step)(*c.planner->groups_[k]);
            },
            &context, true);
    }

    // The reads of the chunk, from where the last one ended.
    void choose_parts(gkl_shim_cuda_chunk *chunk) {
        parts_.clear();
        group_count_ = 0;
        read_bases_ = chunk->regions = chunk->pairs = chunk->cells = planning_ = 0;
        stripes_ = 0;
        int64_t cells = 0, scratch = 0, all_letters = 0, group_planning = kGroupNanoseconds;
        bool full = false;
        const int64_t most_planning =
            options_.planning > 0 ? options_.planning : std::numeric_limits<int64_t>::max();
        while (chunk->region < batch_.regions && !full && planning_ < most_planning) {
            const int64_t g = chunk->region;
            // Where a region far ahead has its offsets is known soon enough.
            const int64_t ahead = std::min(g + 8, batch_.regions);
            __builtin_prefetch(batch_.read_offsets + batch_.region_reads[ahead]);
            __builtin_prefetch(batch_.haplotype_offsets + batch_.region_haplotypes[ahead]);
            const int64_t first = batch_.region_reads[g] + chunk->read;
            const int64_t reads_end = batch_.region_reads[g + 1];
            const int64_t h = batch_.region_haplotypes[g], h_end = batch_.region_haplotypes[g + 1];
            const int64_t letters = batch_.haplotype_offsets[h_end] - batch_.haplotype_offsets[h];
            const int64_t state_bytes =
                (4 * (h_end - h) + 4) * (options_.precision == GKL_SHIM_SINGLE ? 8 : 16);
            const int64_t pair = chunk->pair + chunk->read * (h_end - h);
            const bool left = letters > kChunkLetters;
            full = !left && !parts_.empty() && all_letters + letters > kChunkLetters;
            if (full) break;
            const int64_t most_stripes = left ? 0 : this->most_stripes(h_end - h, letters);
            int64_t end = first, wanted_reads = 0, region_stripes = 0;
            const int64_t bases = batch_.read_offsets[reads_end] - batch_.read_offsets[first];
            const int64_t region_scratch = (bases + (reads_end - first) * kWarp) * state_bytes;
            if (left) {
                end = reads_end;
                wanted_reads = any_wanted(pair, (end - first) * (h_end - h)) ? end - first : 0;
            } else if (!values_ && cells + bases * letters <= options_.cells &&
                       scratch + region_scratch <= options_.scratch_bytes &&
                       read_bases_ + bases <= kChunkReadBases && within_reach(reads_end)) {
                end = reads_end;
                wanted_reads = reads_end - first;
                cells += bases * letters;
                scratch += region_scratch;
                read_bases_ += bases;
            }
            for (; end < reads_end; end++) {
                if (!any_wanted(pair + (end - first) * (h_end - h), h_end - h)) continue;
                const int64_t length = batch_.read_offsets[end + 1] - batch_.read_offsets[end];
                int64_t more_cells = length * letters;
                int64_t more_scratch = (length + kWarp) * state_bytes;
                int64_t stripes = 0;
                if (length > longest_) {
                    // What is not computed is in the chunk all the same, as without a result.
                    if (stripes_of(length) <= most_stripes) stripes = stripes_of(length);
                    more_cells = stripes > 0 ? more_cells / kStripedChunk : 0;
                    more_scratch = stripes * most_stripe_scratch(h_end - h, letters);
                }
                full = (!parts_.empty() || wanted_reads > 0) &&
                       (cells + more_cells > options_.cells ||
                        scratch + more_scratch > options_.scratch_bytes ||
                        read_bases_ + length > kChunkReadBases || !within_reach(end + 1));
                if (full) break;
                wanted_reads++;
                cells += more_cells;
                scratch += more_scratch;
                read_bases_ += length;
                region_stripes += stripes;
            }
            if (wanted_reads > 0 && h_end > h) {
                if (group_planning >= kGroupNanoseconds) {
                    if (int64_t(groups_.size()) == group_count_)
                        groups_.push_back(std::make_unique<Group>());
                    groups_[group_count_++]->first_part = int64_t(parts_.size());
                    group_planning = 0;
                }
                parts_.emplace_back();
                groups_[group_count_ - 1]->end_part = int64_t(parts_.size());
                Part &part = parts_.back();
                part.region = g;
                part.first_read = first;
                part.reads = end - first;
                part.haplotype_count = h_end - h;
                part.striped = false;
                part.left = left;
                part.most_stripes = most_stripes;
                part.first_pair = pair;
                part.first_byte = batch_.read_offsets[first];
                part.bytes = batch_.read_offsets[end] - part.first_byte;
                chunk->regions++;
                chunk->pairs += part.reads * part.haplotype_count;
                chunk->cells += part.bytes * letters;
                int64_t part_planning = kPlanPerRegion;
                if (left) {
                    part.bytes = 0;
                } else {
                    part_planning += part.reads * kPlanPerRead + letters * kPlanPerLetter;
                    all_letters += letters;
                }
                group_planning += part_planning;
                planning_ += part_planning;
                if (region_stripes > 0) {
                    stripes_ += region_stripes;
                    parts_.push_back(part);
                    parts_.back().striped = true;
                    parts_.back().bytes = 0;
                    groups_[group_count_ - 1]->end_part = int64_t(parts_.size());
                }
            }
            if (end < reads_end) {
                chunk->read = end - batch_.region_reads[g];
            } else {
                chunk->pair += (reads_end - batch_.region_reads[g]) * (h_end - h);
                chunk->region++;
                chunk->read = 0;
            }
        }
    }

    // Of reads that are not copied, where those of the chunk begin.
    int64_t first_base() const { return parts_[0].first_byte; }

    // Whether the reads before this one are counted from there in 32 bits.
    bool within_reach(int64_t read) const {
        return !prefixes_ || parts_.empty() ||
               batch_.read_offsets[read] - first_base() <= std::numeric_limits<int32_t>::max();
    }

    // What a stripe needs of the scratch at most: as if haplotypes shared nothing. Of each trie a
    // leaf and a fork a haplotype; of each column, and of the streams' roots, what is handed on.
    int64_t most_stripe_scratch(int64_t haplotypes, int64_t letters) const {
        const int32_t states = int32_t(2 * haplotypes);
        return rounded(TileScratch<double>(kStripedRows, states, states).bytes) +
               (letters + 4 * kSeamMargin * haplotypes) * int64_t(sizeof(Handed<double>));
    }

    // Of a read that is computed. In single precision none is striped; in double precision none
    // that by itself might need more scratch memory than a chunk has.
    int64_t most_stripes(int64_t haplotypes, int64_t letters) const {
        if (options_.precision == GKL_SHIM_SINGLE || haplotypes == 0) return 0;
        return options_.scratch_bytes / most_stripe_scratch(haplotypes, letters);
    }

    // Whether a read of the part's region belongs to it: what is not computed is with the others.
    bool in_part(const Part &part, int64_t length) const {
        return (length > longest_ && stripes_of(length) <= part.most_stripes) == part.striped;
    }

    bool any_wanted(int64_t first_pair, int64_t count) const {
        return !values_ || std::any_of(values_ + first_pair, values_ + first_pair + count,
                                       [](double x) { return isnan(x); });
    }
    bool read_wanted(const Part &part, int64_t read) const {
        return any_wanted(part.first_pair + read * part.haplotype_count, part.haplotype_count);
    }
    // Whether a read that is wanted has pairs that are computed for the first time.
    bool read_untried(const Part &part, int64_t read) const {
        if (!values_) return true;
        const double *const first = values_ + part.first_pair + read * part.haplotype_count;
        return std::any_of(first, first + part.haplotype_count, is_untried);
    }
    bool wanted(const Part &part, int64_t read, int64_t haplotype) const {
        return !values_ ||
               isnan(values_[part.first_pair + read * part.haplotype_count + haplotype]);
    }

    void plan_group(Group &group) {
        group.rows.clear();
        group.reads.clear();
        group.ranks.clear();
        group.packed.clear();
        group.haplotypes.clear();
        group.chosen.clear();
        group.streams.clear();
        group.passes = group.meetings = group.striped_passes = group.striped_meetings = 0;
        group.bytes = group.results = group.computed_cells = 0;
        group.refused = -1;
        for (int64_t k = group.first_part; k < group.end_part; k++) {
            Part &part = parts_[k];
            const int64_t read_bases = list_rows(part, &group);
            plan_haplotypes(part, &group);
            part.first_result = group.results;
            group.results += int64_t(part.rows) * part.haplotypes;
            group.computed_cells += read_bases * part.trie_columns;
            group.bytes += part.bytes;
            if (part.striped) {
                group.striped_passes = std::max(group.striped_passes, part.heads + part.tails);
                group.striped_meetings =
                    std::max(group.striped_meetings, (part.haplotypes + kWarp - 1) / kWarp);
                continue;
            }
            group.passes = std::max(group.passes, part.heads + part.tails);
            group.meetings = std::max(
                group.meetings,
                (std::min<int32_t>(part.rows, kWarp) * part.haplotypes + kWarp - 1) / kWarp);
        }
        compare_tracks(group);
    }

    // What is the same is not sent twice.
    void compare_tracks(Group &group) const {
        if (prefixes_) return;
        group.one_gap_open = true;
        group.one_continuation = batch_.continuation_quals[parts_[group.first_part].first_byte];
        each_run(group, [&](int64_t from, int64_t size) {
            group.one_gap_open =
                group.one_gap_open && memcmp(batch_.insertion_quals + from,
                                             batch_.deletion_quals + from, size_t(size)) == 0;
            const uint8_t *quals = batch_.continuation_quals + from;
            if (quals[0] != group.one_continuation ||
                memcmp(quals, quals + 1, size_t(size - 1)) != 0)
                group.one_continuation = -1;
        });
    }

    // Calls take(first, size) for the bytes of its reads: most often those of one part follow those
    // of the part before. A striped part has none.
    template <class Take>
    void each_run(const Group &group, Take take) const {
        for (int64_t k = group.first_part, next; k < group.end_part; k = next) {
            const int64_t from = parts_[k].first_byte;
            int64_t end = from;
            for (next = k; next < group.end_part && parts_[next].first_byte == end; next++)
                end += parts_[next].bytes;
            if (end > from) take(from, end - from);
        }
    }

    // The part's reads, and its tiles where they are not stripes. Returns the bases of those that
    // are computed for the first time.
    int64_t list_rows(Part &part, Group *group) const {
        part.first_row = int32_t(group->rows.size());
        part.first_packed = int32_t(group->packed.size());
        part.width = part.tiles = part.rows = 0;
        if (part.left) return 0;
        const int64_t bases = part.striped ? list_stripes(part, group) : pack_rows(part, group);
        part.rows = int32_t(group->rows.size()) - part.first_row;
        return bases;
    }

    int64_t pack_rows(Part &part, Group *group) const {
        static_assert(Lengths::kMost < 256, "a step is a byte");
        group->rows.resize(size_t(part.first_row + part.reads));
        plan_memory->steps.resize(size_t(part.reads));
        int32_t *const rows = group->rows.data() + part.first_row;
        uint8_t *const steps = plan_memory->steps.data();
        Lengths lengths;
        const int64_t *offsets = batch_.read_offsets + part.first_read;
        const bool all = !values_;
        int64_t bases = 0;
        int32_t count = 0;
        for (int32_t r = 0; r < part.reads; r++) {
            const int64_t length = offsets[r + 1] - offsets[r];
            if (length > longest_ || !(all || read_wanted(part, r))) continue;
            const int step = Lengths::step(length);
            rows[count] = r;
            steps[count++] = uint8_t(step);
            lengths.add(step);
            if (read_untried(part, r)) bases += length;
        }
        group->rows.resize(size_t(part.first_row + count));

        int32_t at[Lengths::kMost + 1], next = 0;
        Packer packer;
        part.width = width_;
        lengths.each([&](int step, int32_t reads) {
            while (lanes_of_[part.width][step] > kWarp) part.width++;
            packer.add(lanes_of_[part.width][step], reads);
            at[step] = next;
            next += reads;
        });
        plan_memory->sorted.resize(size_t(count));
        int32_t *const sorted = plan_memory->sorted.data();
        for (int32_t k = 0; k < count; k++) sorted[at[steps[k]]++] = k;

        group->reads.resize(size_t(part.first_row + count));
        ReadRecord *read = group->reads.data() + part.first_row;
        // Some more, so that a read's are written by eight.
        uint8_t read_of[kWarp + 8];
        int32_t reads = 0, widest = 0, used = 0;
        packer.pack(
            [&](int32_t k, int lane, int lanes) {
                const int32_t row = sorted[k];
                const int64_t *const ends = offsets + rows[row];
                *read++ = {int32_t(ends[0] - offsets[0]),
                           int32_t(ends[1] - ends[0]),
                           row,
                           uint8_t(lane),
                           uint8_t(lanes),
                           0};
                const uint64_t eight = uint64_t(reads) * 0x0101010101010101;
                for (int z = 0; z < lanes; z += 8) memcpy(read_of + lane + z, &eight, 8);
                widest = lane == 0 ? lanes : widest;
                used = lane + lanes;
                reads++;
            },
            [&] {
                memset(read_of + used, kNoRead, size_t(kWarp - used));
                group->packed.push_back({reads, widest, {}});
                memcpy(group->packed.back().read_of, read_of, kWarp);
                reads = 0;
            });
        part.tiles = int32_t(group->packed.size()) - part.first_packed;
        return bases;
    }

    // The longest first.
    int64_t list_stripes(Part &part, Group *group) const {
        const int64_t *offsets = batch_.read_offsets + part.first_read;
        std::vector<int32_t> &rows = group->rows;
        int64_t bases = 0;
        part.width = GKL_SHIM_CUDA_WIDTHS;
        part.tiles = 0;
        for (int32_t r = 0; r < part.reads; r++)
            if (in_part(part, offsets[r + 1] - offsets[r]) && read_wanted(part, r))
                rows.push_back(r);
        std::stable_sort(rows.begin() + part.first_row, rows.end(), [&](int32_t x, int32_t y) {
            return offsets[x + 1] - offsets[x] > offsets[y + 1] - offsets[y];
        });
        for (size_t k = size_t(part.first_row); k < rows.size(); k++) {
            const int64_t *const ends = offsets + rows[k];
            const int64_t length = ends[1] - ends[0];
            group->reads.push_back({int32_t(ends[0] - offsets[0]), int32_t(length),
                                    int32_t(k) - part.first_row, 0, kWarp, 0});
            part.tiles += int32_t(stripes_of(length));
            if (read_untried(part, rows[k])) bases += length;
        }
        group->ranks.resize(rows.size());
        return bases;
    }

    // How many streams a trie of the part becomes; `longest` is the longest of its sequences.
    int32_t streams_of(const Part &part, const Trie &trie, int64_t longest) const {
        if (!part.striped) {
            // Each has states of its own.
            const int32_t room = kMostStates - 1 - trie.leaves;
            const int32_t most = trie.slots > 0 ? std::max(1, room / trie.slots) : trie.leaves;
            return std::min({streams_, most, trie.leaves});
        }
        // More states than one stream has were not reckoned with.
        const int64_t most = trie.slots > 0 ? trie.leaves / trie.slots : trie.leaves;
        const int64_t wanted = kBusyStripes * options_.multiprocessors / (2 * stripes_);
        // What is alike would be computed in each.
        const int64_t useful = (trie.columns() + longest / 2) / std::max<int64_t>(longest, 1);
        return int32_t(
            std::max<int64_t>(1, std::min({wanted, most, useful, int64_t(trie.leaves)})));
    }

    // The haplotypes that some read of the part lacks the result for, and their tries' streams.
    void plan_haplotypes(Part &part, Group *group) {
        PlanMemory &memory = *plan_memory;
        const int64_t *offsets = batch_.haplotype_offsets + batch_.region_haplotypes[part.region];
        if (!prefixes_ && !part.left) encode_haplotypes(part, group);
        part.first_haplotype = int32_t(group->haplotypes.size());
        memory.chosen.clear();
        const int32_t *rows = group->rows.data() + part.first_row;
        for (int32_t h = 0; !part.left && h < part.haplotype_count; h++)
            if (std::any_of(rows, rows + part.rows,
                            [&](int32_t read) { return wanted(part, read, h); }))
                memory.chosen.push_back(h);
        part.haplotypes = int32_t(memory.chosen.size());
        Streams &streams = group->streams;
        part.first_trie = int32_t(streams.tries.size());
        part.first_column = int32_t(streams.columns);
        part.heads = part.tails = part.columns = part.head_states = part.tail_states = 0;
        part.trie_columns = 0;
        if (part.haplotypes == 0 || group->refused >= 0) return;
        const Trie &heads = memory.heads, &tails = memory.tails;
        const int64_t longest = prefixes_ ? make_tries_of_prefixes(part) : make_tries(part);
        const int32_t head_streams = streams_of(part, heads, head_length(longest));
        const int32_t tail_streams = streams_of(part, tails, longest - head_length(longest));
        part.head_states = heads.leaves + head_streams * heads.slots;
        part.tail_states = tails.leaves + tail_streams * tails.slots;
        if (std::max(part.head_states, part.tail_states) >= kMostStates) {
            // The CPU computes it.
            part.rows = part.tiles = part.haplotypes = 0;
            group->rows.resize(size_t(part.first_row));
            group->reads.resize(size_t(part.first_row));
            group->packed.resize(size_t(part.first_packed));
            return;
        }
        if (values_)
            group->chosen.insert(group->chosen.end(), memory.chosen.begin(), memory.chosen.end());
        part.trie_columns = heads.columns() + tails.columns();
        const Source from_first = {&memory.head_origins, memory.first_bases.data(), 1};
        const Source from_last = {&memory.tail_origins, memory.last_bases.data(), -1};
        part.heads = streams.append(heads, prefixes_ ? &from_first : nullptr, false, head_streams);
        part.tails = streams.append(tails, prefixes_ ? &from_last : nullptr, true, tail_streams);
        int32_t seam = 0;
        for (size_t k = size_t(part.first_trie); k < streams.tries.size(); k++) {
            streams.tries[k].seam = seam;
            seam += streams.tries[k].length + 2 * kSeamMargin;
        }
        part.columns = int32_t(streams.columns) - part.first_column;
        for (size_t k = 0; k < memory.chosen.size(); k++) {
            const int32_t h = memory.chosen[k];
            group->haplotypes.push_back(
                {heads.leaf_of[k], tails.leaf_of[k], int32_t(offsets[h + 1] - offsets[h]), 0});
        }
    }

    void encode_haplotypes(const Part &part, Group *group) const {
        PlanMemory &memory = *plan_memory;
        const int64_t *offsets = batch_.haplotype_offsets + batch_.region_haplotypes[part.region];
        const int64_t letters = offsets[part.haplotype_count] - offsets[0];
        memory.letters.resize(size_t(letters));
        if (encode(options_.conventions == GKL_SHIM_AS_GKL, batch_.haplotype_bases + offsets[0],
                   letters, memory.letters.data()) >= 0)
            group->refused = part.region;
    }

    // Of the chosen haplotypes. Returns the longest one's length.
    int64_t make_tries(const Part &part) const {
        PlanMemory &memory = *plan_memory;
        const int64_t *offsets = batch_.haplotype_offsets + batch_.region_haplotypes[part.region];
        memory.haplotypes.clear();
        int64_t longest = 0;
        for (const int32_t h : memory.chosen) {
            const int64_t length = offsets[h + 1] - offsets[h];
            memory.haplotypes.push_back(
                {memory.letters.data() + (offsets[h] - offsets[0]), length});
            longest = std::max(longest, length);
        }
        memory.planner.make_tries(memory.haplotypes.data(), int64_t(memory.haplotypes.size()),
                                  &memory.heads, &memory.tails);
        return longest;
    }

    // The same, of a batch whose letters the host does not see.
    int64_t make_tries_of_prefixes(const Part &part) const {
        PlanMemory &memory = *plan_memory;
        const int64_t first = batch_.region_haplotypes[part.region];
        const int64_t all = batch_.region_haplotypes[batch_.regions];
        const int64_t *offsets = batch_.haplotype_offsets + first;
        memory.head_lengths.clear();
        memory.tail_lengths.clear();
        memory.first_bases.clear();
        memory.last_bases.clear();
        int64_t longest = 0;
        for (const int32_t h : memory.chosen) {
            const int64_t length = offsets[h + 1] - offsets[h];
            memory.head_lengths.push_back(head_length(length));
            memory.tail_lengths.push_back(length - head_length(length));
            memory.first_bases.push_back(offsets[h]);
            memory.last_bases.push_back(offsets[h + 1] - 1);
            longest = std::max(longest, length);
        }
        memory.tries.build(prefixes_ + first, part.haplotype_count, memory.chosen,
                           memory.head_lengths.data(), &memory.heads, &memory.head_origins);
        memory.tries.build(prefixes_ + all + first, part.haplotype_count, memory.chosen,
                           memory.tail_lengths.data(), &memory.tails, &memory.tail_origins);
        return longest;
    }

    // One width for all that it holds: several kernels in turn leave the device idle at each end.
    // By a sample.
    void choose_width(gkl_shim_cuda_chunk *chunk) {
        struct {
            // Cycles of the longest tile, of its longest haplotype by itself, and of all; how many
            // they are.
            double longest, longest_haplotype, all, tiles;
        } sums[GKL_SHIM_CUDA_WIDTHS] = {};
        const int64_t parts = int64_t(parts_.size()), step = (parts + kSample - 1) / kSample;
        for (int64_t k = 0; k < parts; k += step) {
            const Part &part = parts_[size_t(k)];
            if (part.striped || part.left) continue;
            const int64_t *offsets = batch_.read_offsets + part.first_read;
            Lengths lengths;
            for (int64_t r = 0; r < part.reads; r++)
                if (offsets[r + 1] - offsets[r] <= longest_)
                    lengths.add(Lengths::step(offsets[r + 1] - offsets[r]));
            const int64_t *haplotypes =
                batch_.haplotype_offsets + batch_.region_haplotypes[part.region];
            // Haplotypes of a region share most of their columns.
            const double count = double(part.haplotype_count);
            const double length = double(haplotypes[part.haplotype_count] - haplotypes[0]) / count;
            const double columns = length * sqrt(count) + kColumnsPerTile;
            for (int w = 0; w < width_count_; w++) {
                int width = w, longest = 0;
                Packer packer;
                lengths.each([&](int step, int32_t count) {
                    while (lanes_of_[width][step] > kWarp) width++;
                    longest = std::max<int>(longest, lanes_of_[width][step]);
                    packer.add(lanes_of_[width][step], count);
                });
                const double tiles = double(packer.tiles() * step);
                const double latency = kLatencyPerRow * widths_[width] + kLatencyPerColumn;
                auto &sum = sums[w];
                sum.longest = std::max(sum.longest, columns * latency);
                sum.longest_haplotype =
                    std::max(sum.longest_haplotype,
                             (length + kColumnsPerTile) * latency + 2 * longest * kLatencyPerLane);
                sum.all += tiles * columns * cycles_[width];
                sum.tiles += tiles;
            }
        }
        double best = std::numeric_limits<double>::infinity();
        for (int w = 0; w < width_count_; w++) {
            // Streams a trie; 0: one warp does it all. Stripes make the device busy too.
            const int streams = int(kBusyTiles * multiprocessors_ /
                                        std::max(1.0, sums[w].tiles + 2 * double(stripes_)) +
                                    1) /
                                2;
            const double longest =
                streams == 0 ? sums[w].longest
                             : std::max(sums[w].longest / streams, sums[w].longest_haplotype) / 2;
            const double time = longest + sums[w].all / multiprocessors_;
            const bool asked_for = widths_[w] == options_.rows_a_lane;
            if (time >= best && !asked_for) continue;
            best = time;
            width_ = w;
            streams_ = std::max(streams, 1);
            chunk->passes = streams == 0;
            if (asked_for) break;
        }
    }

    void lay_out(gkl_shim_cuda_chunk *chunk) {
        place_tiles(chunk);
        int64_t rows = 0, haplotypes = 0, tries = 0, events = 0, columns = kColumnMargin;
        int64_t segments = 0, bytes = 0, results = 0;
        chunk->computed_cells = 0;
        bool one_gap_open = true;
        int one_continuation = groups_[0]->one_continuation;
        const bool whole = chunk->passes == 1;
        chunk->meetings = 1;
        chunk->striped_passes = chunk->striped_meetings = 0;
        for (int64_t k = 0; k < group_count_; k++) {
            Group &group = *groups_[k];
            group.first_row = rows;
            group.first_haplotype = haplotypes;
            group.first_trie = tries;
            group.first_event = events;
            group.first_column = columns;
            group.first_segment = segments;
            group.first_byte = bytes;
            group.first_result = results;
            rows += int64_t(group.rows.size());
            haplotypes += int64_t(group.haplotypes.size());
            tries += int64_t(group.streams.tries.size());
            events += int64_t(group.streams.events.size());
            columns += int64_t(group.streams.columns);
            segments += int64_t(group.streams.segments.size());
            bytes += group.bytes;
            results += group.results;
            chunk->computed_cells += group.computed_cells;
            one_gap_open = one_gap_open && group.one_gap_open;
            if (group.one_continuation != one_continuation) one_continuation = -1;
            chunk->striped_passes = std::max(chunk->striped_passes, group.striped_passes);
            chunk->striped_meetings = std::max(chunk->striped_meetings, group.striped_meetings);
            if (whole) continue;
            chunk->passes = std::max(chunk->passes, group.passes);
            chunk->meetings = std::max(chunk->meetings, group.meetings);
        }
        int64_t at = rounded(sizeof(ChunkHeader));
        const auto place = [&at](int64_t size) {
            const int64_t here = at;
            at += rounded(size);
            return here;
        };
        chunk->segments = segments;
        if (prefixes_) {
            place(sizeof(ArraysRecord));
            arrays_.segment_count = int32_t(segments);
            arrays_.as_gkl = options_.conventions == GKL_SHIM_AS_GKL;
            const auto first = [this](const uint8_t *track) {
                return int64_t(reinterpret_cast<uintptr_t>(track)) + first_base();
            };
            arrays_.bases = first(batch_.read_bases);
            arrays_.base_quals = first(batch_.base_quals);
            arrays_.insertion_quals = first(batch_.insertion_quals);
            arrays_.deletion_quals = first(batch_.deletion_quals);
            arrays_.continuation_quals = first(batch_.continuation_quals);
            arrays_.haplotype_bases = int64_t(reinterpret_cast<uintptr_t>(batch_.haplotype_bases));
            arrays_.segments = place(segments * int64_t(sizeof(Segment)));
            header_.continuation_mask = -1;
        } else {
            header_.bases = place(bytes);
            header_.base_quals = place(bytes);
            header_.insertion_quals = place(bytes);
            header_.deletion_quals = one_gap_open ? header_.insertion_quals : place(bytes);
            header_.continuation_quals = place(one_continuation >= 0 ? 1 : bytes);
            header_.continuation_mask = one_continuation >= 0 ? 0 : -1;
        }
        columns_at_ = place(columns + kColumnMargin);
        events_at_ = place(events * int64_t(sizeof(Event)));
        header_.regions = place(int64_t(parts_.size() * sizeof(RegionRecord)));
        header_.tries = place(tries * int64_t(sizeof(TrieRecord)));
        header_.haplotypes = place(haplotypes * int64_t(sizeof(HaplotypeRecord)));
        header_.reads = place(rows * int64_t(sizeof(ReadRecord)));
        header_.tiles = place(tile_count_ * int64_t(sizeof(TileRecord)));
        header_.started = chunk->seams;
        columns_after_ = events_at_ - columns_at_ - columns;
        row_count_ = rows;
        results_count_ = results;
        chunk->block_bytes = at;
        chunk->results = results;
    }

    // The longest tiles first, kernel by kernel.
    void place_tiles(gkl_shim_cuda_chunk *chunk) {
        // By columns, in steps of a quarter or less.
        enum { kSteps = 4 * 32 };
        const auto step_of = [](const Part &part) {
            const uint32_t columns = uint32_t(part.columns) | 4;
            const int exponent = 31 - __builtin_clz(columns);
            return kSteps - 1 - (4 * exponent + int(columns >> (exponent - 2) & 3));
        };
        int32_t tiles[GKL_SHIM_CUDA_KERNELS][kSteps] = {};
        for (const Part &part : parts_) tiles[part.width][step_of(part)] += part.tiles;
        tile_count_ = 0;
        for (int w = 0; w < GKL_SHIM_CUDA_KERNELS; w++) {
            chunk->first_tile[w] = tile_count_;
            for (int32_t &count : tiles[w]) {
                const int32_t first = tile_count_;
                tile_count_ += count;
                count = first;
            }
            chunk->tiles[w] = tile_count_ - chunk->first_tile[w];
        }
        chunk->scratch_bytes = 0;
        for (Part &part : parts_) {
            int32_t &next = tiles[part.width][step_of(part)];
            part.first_tile = next;
            part.scratch = chunk->scratch_bytes;
            next += part.tiles;
            chunk->scratch_bytes += part.tiles * tile_scratch(part);
        }
        chunk->seams = chunk->scratch_bytes;
        chunk->seam_bytes = 0;
        if (chunk->tiles[GKL_SHIM_CUDA_WIDTHS] == 0) return;
        chunk->seam_bytes = rounded(sizeof(int32_t));
        rank_stripes(chunk->first_tile[GKL_SHIM_CUDA_WIDTHS]);
        for (Part &part : parts_) {
            if (!part.striped) continue;
            part.seams = chunk->seams + chunk->seam_bytes;
            chunk->seam_bytes +=
                rounded(part.tiles * seam_columns(part) * int64_t(sizeof(Handed<double>)));
        }
        chunk->scratch_bytes += chunk->seam_bytes;
    }

    // Stripes are listed so that a warp seldom waits: the first ones of all reads, the second ones
    // and so on, the reads of the most stripes first.
    void rank_stripes(int32_t first_tile) {
        std::vector<int32_t> reads_of;  // by stripes
        const auto each_read = [&](auto take) {
            for (int64_t k = 0; k < group_count_; k++)
                for (int64_t p = groups_[k]->first_part; p < groups_[k]->end_part; p++) {
                    if (!parts_[p].striped) continue;
                    for (int32_t r = 0; r < parts_[p].rows; r++) {
                        const size_t row = size_t(parts_[p].first_row + r);
                        take(&groups_[k]->ranks[row],
                             size_t(stripes_of(groups_[k]->reads[row].length)));
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
        first_stripe_.assign(reads_of.size(), first_tile);
        for (size_t stripe = 1; stripe < reads_of.size(); stripe++)
            first_stripe_[stripe] = first_stripe_[stripe - 1] + rank[stripe] + reads_of[stripe];
        each_read([&](int32_t *of_read, size_t stripes) { *of_read = rank[stripes]++; });
    }

    static int64_t seam_columns(const Part &part) {
        return part.columns + (part.heads + part.tails) * 2 * kSeamMargin;
    }

    // Of a tile; of a stripe, what it has of its read's.
    int64_t tile_scratch(const Part &part) const {
        const int rows = part.striped ? int(kStripedRows) : widths_[part.width];
        return rounded(options_.precision == GKL_SHIM_SINGLE
                           ? TileScratch<float>(rows, part.head_states, part.tail_states).bytes
                           : TileScratch<double>(rows, part.head_states, part.tail_states).bytes);
    }

    template <class A>
    A *array(int64_t offset) const {
        return reinterpret_cast<A *>(block_ + offset);
    }

    void write_group(Group &group) {
        if (group.rows.empty()) return;
        const Streams &streams = group.streams;
        if (prefixes_) {
            write_segments(group);
        } else {
            write_tracks(group);
            memcpy(block_ + columns_at_ + group.first_column, streams.letters.data(),
                   streams.letters.size());
        }
        memcpy(array<HaplotypeRecord>(header_.haplotypes) + group.first_haplotype,
               group.haplotypes.data(), group.haplotypes.size() * sizeof(HaplotypeRecord));
        write_tries(group);
        int64_t byte = group.first_byte, next_byte = byte;
        for (int64_t k = group.first_part; k < group.end_part; k++) {
            const Part &part = parts_[k];
            if (!part.striped) byte = prefixes_ ? part.first_byte - first_base() : next_byte;
            next_byte += part.bytes;
            if (part.rows == 0) continue;
            write_region(group, part, int32_t(k));
            write_reads(group, part, int32_t(byte));
            if (part.striped)
                write_stripes(group, part, int32_t(k));
            else
                write_tiles(group, part, int32_t(k));
        }
    }

    // All bytes of a part's reads travel, computed or not: they lie together.
    void write_tracks(const Group &group) {
        struct Track {
            int64_t to;
            const uint8_t *from;
        } tracks[5] = {{header_.bases, batch_.read_bases},
                       {header_.base_quals, batch_.base_quals},
                       {header_.insertion_quals, batch_.insertion_quals}};
        int count = 3;
        if (header_.deletion_quals != header_.insertion_quals)
            tracks[count++] = {header_.deletion_quals, batch_.deletion_quals};
        if (header_.continuation_mask)
            tracks[count++] = {header_.continuation_quals, batch_.continuation_quals};
        else
            block_[header_.continuation_quals] = uint8_t(group.one_continuation);
        int64_t to = group.first_byte;
        each_run(group, [&](int64_t from, int64_t size) {
            for (int k = 0; k < count; k++)
                memcpy(block_ + tracks[k].to + to, tracks[k].from + from, size_t(size));
            to += size;
        });
    }

    void write_segments(const Group &group) {
        Segment *segment = array<Segment>(arrays_.segments) + group.first_segment;
        const uint32_t first_column = uint32_t(columns_at_ + group.first_column);
        const uint32_t first_event =
            uint32_t(events_at_ + (group.first_event - 1) * int64_t(sizeof(Event)));
        for (const Segment &from : group.streams.segments) {
            *segment = from;
            segment->column += first_column;
            if (from.event > 0) segment->event = first_event + from.event * uint32_t(sizeof(Event));
            segment++;
        }
    }

    void write_tries(const Group &group) {
        const Streams &streams = group.streams;
        TrieRecord *trie = array<TrieRecord>(header_.tries) + group.first_trie;
        Event *event = array<Event>(events_at_) + group.first_event;
        for (size_t k = 0; k < streams.tries.size(); k++) {
            const uint32_t column =
                uint32_t(columns_at_ + group.first_column) + streams.tries[k].columns;
            *trie++ = {column, uint32_t(reinterpret_cast<uint8_t *>(event) - block_),
                       streams.tries[k].length, streams.tries[k].seam};
            const Event *from = streams.events.data() + streams.tries[k].events;
            for (; from->at != kNoEvent; from++) *event++ = {from->at + column, from->what};
            *event++ = *from;
        }
    }

    void write_region(const Group &group, const Part &part, int32_t region) {
        array<RegionRecord>(header_.regions)[region] = {
            int32_t(group.first_trie + part.first_trie),
            part.heads,
            part.tails,
            int32_t(group.first_haplotype + part.first_haplotype),
            part.haplotypes,
            int32_t(seam_columns(part)),
            part.striped ? part.seams : 0,
            group.first_result + part.first_result};
    }

    void write_reads(const Group &group, const Part &part, int32_t first_byte) {
        const ReadRecord *const from = group.reads.data() + part.first_row;
        ReadRecord *const to = array<ReadRecord>(header_.reads) + group.first_row + part.first_row;
        for (int32_t k = 0; k < part.rows; k++) {
            ReadRecord read = from[k];
            read.start += first_byte;
            to[k] = read;
        }
    }

    void write_tiles(const Group &group, const Part &part, int32_t region) {
        int32_t at = int32_t(group.first_row + part.first_row);
        TileRecord *const tiles = array<TileRecord>(header_.tiles) + part.first_tile;
        const Packed *const packed = group.packed.data() + part.first_packed;
        int64_t scratch = part.scratch;
        const int64_t tile_scratch = this->tile_scratch(part);
        for (int32_t k = 0; k < part.tiles; k++) {
            tiles[k] = {at,      packed[k].reads,  part.head_states, part.tail_states,
                        scratch, packed[k].widest, region,           {}};
            memcpy(tiles[k].read_of, packed[k].read_of, kWarp);
            scratch += tile_scratch;
            at += packed[k].reads;
        }
    }

    void write_stripes(const Group &group, const Part &part, int32_t region) {
        const int32_t at = int32_t(group.first_row + part.first_row);
        TileRecord *tiles = array<TileRecord>(header_.tiles);
        int64_t scratch = part.scratch;
        const int64_t stripe_scratch = tile_scratch(part);
        for (int32_t k = 0, seam = 0; k < part.rows; k++) {
            const size_t row = size_t(part.first_row + k);
            const int32_t stripes = int32_t(stripes_of(group.reads[row].length));
            for (int32_t stripe = 0; stripe < stripes; stripe++)
                tiles[first_stripe_[size_t(stripe)] + group.ranks[row]] = {
                    at + k, seam, part.head_states, part.tail_states, scratch, stripe, region, {}};
            seam += stripes;
            scratch += stripes * stripe_scratch;
        }
    }

    void finish_group(Group &group) {
        int64_t missing = 0;
        const double *result = results_ + group.first_result;
        const auto put = [&](double *to, int64_t count) {
            for (int64_t k = 0; k < count; k++) {
                to[k] = result[k];
                missing += result[k] != result[k];
            }
            result += count;
        };
        const int32_t *row = group.rows.data();
        const int32_t *chosen = group.chosen.data();
        for (int64_t k = group.first_part; k < group.end_part; k++) {
            const Part &part = parts_[k];
            double *const values = written_ + part.first_pair;
            const int64_t count = part.haplotype_count;
            if (!values_) {
                if (part.rows == part.reads) {
                    put(values, part.reads * count);
                } else {
                    std::fill_n(values, part.reads * count, no_result());
                    missing += (part.reads - part.rows) * count;
                    for (int32_t r = 0; r < part.rows; r++) put(values + row[r] * count, count);
                }
                row += part.rows;
                continue;
            }
            for (int32_t r = 0; r < part.rows; r++, row++) {
                double *to = values + *row * count;
                for (int32_t h = 0; h < part.haplotypes; h++, result++)
                    if (isnan(to[chosen[h]])) to[chosen[h]] = *result;
            }
            chosen += part.haplotypes;
            const int64_t *offsets = batch_.read_offsets + part.first_read;
            for (int64_t r = 0; r < part.reads; r++) {
                if (!in_part(part, offsets[r + 1] - offsets[r])) continue;
                for (int64_t pair = r * count; pair < (r + 1) * count; pair++)
                    missing += isnan(values[pair]);
            }
        }
        missing_ += missing;
    }

    gkl_shim_cuda_options options_;
    int32_t threads_;         // for the chunk
    double multiprocessors_;  // the chunk's share of them
    int32_t widths_[GKL_SHIM_CUDA_WIDTHS];
    int width_count_;
    const double *cycles_;  // a column, of each width
    int64_t longest_;
    uint8_t lanes_of_[GKL_SHIM_CUDA_WIDTHS][Lengths::kMost + 1];  // by steps of length
    int32_t width_;                      // the index of that chosen for the chunk
    int32_t streams_;                    // a trie at most
    int64_t stripes_;                    // of long reads in the chunk
    std::vector<int32_t> first_stripe_;  // the tile of the chunk's first read, by stripes

    gkl_shim_pairhmm_batch batch_;
    const gkl_shim_cuda_prefix *prefixes_;  // null: the batch is in the host's memory
    const double *values_;                  // null: all are wanted
    std::vector<Part> parts_;
    std::vector<std::unique_ptr<Group>> groups_;
    int64_t group_count_, row_count_, read_bases_, results_count_;
    int64_t planning_;  // nanoseconds, about
    int32_t tile_count_;
    ChunkHeader header_;
    ArraysRecord arrays_;             // of a batch in a device's memory
    int64_t columns_at_, events_at_;  // in the block
    int64_t columns_after_;           // bytes between the last column and what follows

    uint8_t *block_;
    const double *results_;
    double *written_;
    std::atomic<int64_t> missing_;
};

extern "C" gkl_shim_status gkl_shim_cuda_open(const gkl_shim_cuda_options *options,
                                              gkl_shim_cuda_planner **planner) {
    return opened(planner, *options);
}

extern "C" void gkl_shim_cuda_widths(int32_t precision, int32_t widths[GKL_SHIM_CUDA_WIDTHS]) {
    std::copy_n(precision == GKL_SHIM_SINGLE ? kSingleWidths : kDoubleWidths, GKL_SHIM_CUDA_WIDTHS,
                widths);
}

extern "C" int64_t gkl_shim_cuda_tables(int32_t precision, int32_t conventions, void *tables) {
    const bool as_gkl = conventions == GKL_SHIM_AS_GKL, single = precision == GKL_SHIM_SINGLE;
    const gkl_shim_status status = guarded([&] {
        if (tables && single)
            write_tables(as_gkl, single_tables(), static_cast<CudaTables<float> *>(tables));
        else if (tables)
            write_tables(as_gkl, double_tables(), static_cast<CudaTables<double> *>(tables));
        return GKL_SHIM_OK;
    });
    if (status != GKL_SHIM_OK) return -int64_t(status);
    return single ? sizeof(CudaTables<float>) : sizeof(CudaTables<double>);
}

extern "C" int32_t gkl_shim_cuda_take(gkl_shim_cuda_planner *planner,
                                      const gkl_shim_pairhmm_batch *batch,
                                      const gkl_shim_cuda_prefix *prefixes, const double *values,
                                      gkl_shim_cuda_chunk *chunk) {
    bool taken = false;
    const gkl_shim_status status = guarded([&] {
        taken = planner->take(*batch, prefixes, values, chunk);
        return GKL_SHIM_OK;
    });
    return status == GKL_SHIM_OK ? taken : -int32_t(status);
}

extern "C" gkl_shim_status gkl_shim_cuda_plan(gkl_shim_cuda_planner *planner,
                                              gkl_shim_cuda_chunk *chunk) {
    return guarded([&] { return planner->plan(chunk); });
}

extern "C" gkl_shim_status gkl_shim_cuda_write(gkl_shim_cuda_planner *planner, void *block) {
    return guarded([&] {
        planner->write(static_cast<uint8_t *>(block));
        return GKL_SHIM_OK;
    });
}

extern "C" int64_t gkl_shim_cuda_finish(gkl_shim_cuda_planner *planner, const double *results,
                                        double *values) {
    int64_t missing = 0;
    const gkl_shim_status status = guarded([&] {
        missing = planner->finish(results, values);
        return GKL_SHIM_OK;
    });
    return status == GKL_SHIM_OK ? missing : -int64_t(status);
}

extern "C" void gkl_shim_cuda_close(gkl_shim_cuda_planner *planner) { delete planner; }

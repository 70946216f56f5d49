// The CUDA engine's planner: which tiles a chunk is made of, written as cuda_layout.h says. The
// interface is in gkl_shim.h.
#include <math.h>
#include <string.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <memory>
#include <new>
#include <vector>

#include "common/cpu.h"
#include "common/error.h"
#include "common/thread_pool.h"
#include "gkl_shim.h"
#include "pairhmm/cuda_layout.h"
#include "pairhmm/letters.h"
#include "pairhmm/plan.h"

namespace gkl_shim {
namespace pairhmm {
namespace {

// Rows a lane of the kernels in cuda.cu.
constexpr int kSingleWidths[GKL_SHIM_CUDA_WIDTHS] = {4, 8, 12, 16, 20};
constexpr int kDoubleWidths[GKL_SHIM_CUDA_WIDTHS] = {4, 8};

// What a column of a tile costs: cycles of a multiprocessor that has many tiles at once, and of a
// warp that is alone. Measured on an H200, for each of the widths above.
constexpr double kSingleCycles[GKL_SHIM_CUDA_WIDTHS] = {18, 27, 34, 47, 56};
constexpr double kDoubleCycles[GKL_SHIM_CUDA_WIDTHS] = {40, 64};
constexpr double kLatencyPerRow = 5, kLatencyPerColumn = 60;

// Columns' worth of set-up and of the meeting.
constexpr double kColumnsPerTile = 20;

// With fewer tiles than this a multiprocessor, each is shared by two warps.
constexpr int kBusyTiles = 8;

// A chunk's reads have about so many bases at most: the block goes up while another is computed.
constexpr int64_t kChunkReadBases = int64_t(1) << 22;

// What the planner takes on one thread, in nanoseconds.
constexpr int64_t kPlanPerRegion = 1000, kPlanPerRead = 40, kPlanPerLetter = 3;
constexpr int64_t kPackPerRead = 10;
constexpr int64_t kWritePerRead = 30, kWritePerBase = 1, kFinishPerPair = 4;

int64_t rounded(int64_t bytes) { return (bytes + 255) & ~int64_t(255); }

// The stream of a trie's columns and the events between them.
struct Stream {
    std::vector<uint8_t> columns;
    std::vector<Event> events;
    int32_t states;

    void make(const Trie &trie, bool tails) {
        columns.clear();
        events.clear();
        const int32_t slots = trie.leaves;
        states = trie.leaves + trie.slots;
        Event between = {0u, kNone, -1, kNone};
        int32_t in_hand = -1;  // the slot whose state is the one in hand
        for (const Branch &branch : trie.branches) {
            if (branch.load < 0)
                between.load = kRoot;
            else if (branch.load != in_hand)
                between.load = slots + branch.load;
            events.push_back(between);
            columns.insert(columns.end(), trie.letters.begin() + branch.column,
                           trie.letters.begin() + branch.column + branch.length);
            in_hand = branch.save;
            between = {uint32_t(columns.size()), kNone, -1, kNone};
            if (branch.leaf >= 0) {
                between.store = branch.leaf;
                if (tails) {
                    between.at--;
                    between.letter = columns.back();
                }
            }
            if (branch.save >= 0) {
                if (branch.leaf >= 0) events.push_back(between);
                between = {uint32_t(columns.size()), slots + branch.save, -1, kNone};
            } else if (tails) {
                columns.pop_back();
            }
        }
        events.push_back(between);
        events.push_back({kNoEvent, kNone, -1, kNone});
    }
};

// The part of a warp that a read of so many lanes takes, where only its like share it.
struct TileShare {
    double of[kWarp + 1];
    TileShare() {
        of[0] = 0;
        for (int lanes = 1; lanes <= kWarp; lanes++) of[lanes] = 1.0 / (kWarp / lanes);
    }
};
const TileShare kTileShare;

// Fills warps with reads, as many lanes as are left at a time.
class Packer {
   public:
    // Lengths fall.
    template <class Length>
    Packer(int32_t reads, int rows_a_lane, Length length) : left_(reads) {
        int longest = 0;  // that takes as many lanes as the last
        for (int32_t k = 0; k < reads; k++) {
            const int rows = length(k);
            if (k == 0 || rows <= longest - rows_a_lane) {
                const int lanes = (rows + rows_a_lane - 1) / rows_a_lane;
                longest = lanes * rows_a_lane;
                groups_[count_++] = {lanes, k, k};
            }
            groups_[count_ - 1].end++;
        }
    }

    // Calls take(read, lane, lanes) for each read of a tile, then end_tile(); returns the tiles.
    template <class Take, class EndTile>
    int32_t pack(Take take, EndTile end_tile) {
        int32_t tiles = 0;
        for (int first = 0; left_ > 0; tiles++) {
            while (groups_[first].next == groups_[first].end) first++;
            int lane = 0;
            for (int g = first; g < count_ && lane < kWarp; g++) {
                Group &group = groups_[g];
                for (; group.next < group.end && lane + group.lanes <= kWarp; lane += group.lanes) {
                    take(group.next++, lane, group.lanes);
                    left_--;
                }
            }
            end_tile();
        }
        return tiles;
    }

   private:
    struct Group {  // reads that take so many lanes
        int lanes;
        int32_t next, end;
    };
    Group groups_[kWarp];
    int count_ = 0;
    int32_t left_;
};

// A region's part in a chunk.
struct Part {
    int64_t region, first_read, reads;  // of the batch
    int64_t first_pair, haplotype_count;
    std::vector<int32_t> rows;    // the reads computed, from first_read on, the longest first
    std::vector<int32_t> chosen;  // the haplotypes computed
    Plan plan;
    Stream heads, tails;
    double tiles[GKL_SHIM_CUDA_WIDTHS];  // with each width, about
    int32_t tile_count;                  // with the width chosen
    int64_t read_bases;
    bool refused;  // a letter of a haplotype

    // Where it begins in the chunk.
    int width;
    int32_t position;  // among the chunk's regions
    int32_t first_tile, first_task, first_haplotype;
    int64_t first_event, first_column, first_byte, first_result, scratch;

    int64_t columns() const { return int64_t(heads.columns.size() + tails.columns.size()); }
};

struct PlanMemory {
    Planner planner;
    std::vector<uint8_t> letters;
    std::vector<Letters> haplotypes;
};
thread_local PlanMemory plan_memory;

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
        gkl_shim_cuda_widths(options.precision, widths_);
        width_count_ = int(std::find(widths_, widths_ + GKL_SHIM_CUDA_WIDTHS, 0) - widths_);
        options_.threads = allowed_threads(options_.threads);
        longest_ = kWarp * widths_[width_count_ - 1];
        if (options_.precision == GKL_SHIM_SINGLE)
            longest_ = std::min(longest_, int64_t(kLongestSingleRead));
    }

    bool take(const gkl_shim_pairhmm_batch &batch, const double *values,
              gkl_shim_cuda_chunk *chunk) {
        batch_ = batch;
        values_ = values;
        choose_parts(chunk);
        return count_ > 0;
    }

    gkl_shim_status plan(gkl_shim_cuda_chunk *chunk) {
        parallel(planning_, &gkl_shim_cuda_planner::plan_part);
        for (int64_t k = 0; k < count_; k++)
            if (parts_[k]->refused)
                return invalid("haplotype_bases: a letter of region %lld is none of ACGTN",
                               (long long)parts_[k]->region);
        choose_widths(chunk);
        parallel(read_count_ * kPackPerRead, &gkl_shim_cuda_planner::count_tiles);
        lay_out(chunk);
        return GKL_SHIM_OK;
    }

    void write(uint8_t *block) {
        block_ = block;
        memcpy(block, &header_, sizeof header_);
        memset(block + columns_at_, kA, kColumnMargin);
        memset(block + events_at_ - columns_after_, kA, size_t(columns_after_));
        memset(block + header_.finished, 0, size_t(tile_count_) * sizeof(int32_t));
        parallel(read_count_ * kWritePerRead + read_bases_ * kWritePerBase,
                 &gkl_shim_cuda_planner::write_part);
    }

    int64_t finish(const double *results, double *values) {
        results_ = results;
        written_ = values;
        missing_ = 0;
        parallel(results_count_ * kFinishPerPair, &gkl_shim_cuda_planner::finish_part);
        return missing_;
    }

   private:
    void parallel(int64_t nanoseconds, void (gkl_shim_cuda_planner::*step)(Part &)) {
        struct Context {
            gkl_shim_cuda_planner *planner;
            void (gkl_shim_cuda_planner::*step)(Part &);
            std::atomic<bool> out_of_memory;
        } context{this, step, {false}};
        parallel_for(
            count_, nanoseconds, options_.threads,
            [](void *pointer, int64_t k) {
                Context &c = *static_cast<Context *>(pointer);
                try {
                    (c.planner->*c.step)(*c.planner->parts_[k]);
                } catch (const std::bad_alloc &) {
                    c.out_of_memory = true;
                }
            },
            &context);
        if (context.out_of_memory) throw std::bad_alloc();
    }

    // The reads of the chunk, from where the last one ended.
    void choose_parts(gkl_shim_cuda_chunk *chunk) {
        count_ = 0;
        read_bases_ = read_count_ = chunk->pairs = 0;
        int64_t cells = 0, scratch = 0;
        planning_ = 0;
        bool full = false;
        while (chunk->region < batch_.regions && !full) {
            const int64_t g = chunk->region;
            const int64_t first = batch_.region_reads[g] + chunk->read;
            const int64_t reads_end = batch_.region_reads[g + 1];
            const int64_t h = batch_.region_haplotypes[g], h_end = batch_.region_haplotypes[g + 1];
            const int64_t letters = batch_.haplotype_offsets[h_end] - batch_.haplotype_offsets[h];
            const int64_t state_bytes =
                (4 * (h_end - h) + 4) * (options_.precision == GKL_SHIM_SINGLE ? 8 : 16);
            const int64_t pair = chunk->pair + chunk->read * (h_end - h);
            int64_t end = first, wanted_reads = 0;
            const int64_t bases = batch_.read_offsets[reads_end] - batch_.read_offsets[first];
            const int64_t region_scratch = (bases + (reads_end - first) * kWarp) * state_bytes;
            if (!values_ && cells + bases * letters <= options_.cells &&
                scratch + region_scratch <= options_.scratch_bytes &&
                read_bases_ + bases <= kChunkReadBases) {
                end = reads_end;
                wanted_reads = reads_end - first;
                cells += bases * letters;
                scratch += region_scratch;
                read_bases_ += bases;
            }
            for (; end < reads_end; end++) {
                if (!any_wanted(pair + (end - first) * (h_end - h), h_end - h)) continue;
                const int64_t length = batch_.read_offsets[end + 1] - batch_.read_offsets[end];
                const int64_t more_cells = length * letters;
                const int64_t more_scratch = (length + kWarp) * state_bytes;
                full = (count_ > 0 || wanted_reads > 0) &&
                       (cells + more_cells > options_.cells ||
                        scratch + more_scratch > options_.scratch_bytes ||
                        read_bases_ + length > kChunkReadBases);
                if (full) break;
                wanted_reads++;
                cells += more_cells;
                scratch += more_scratch;
                read_bases_ += length;
            }
            if (wanted_reads > 0 && h_end > h) {
                if (int64_t(parts_.size()) == count_) parts_.emplace_back(new Part);
                Part &part = *parts_[count_++];
                part.region = g;
                part.first_read = first;
                part.reads = end - first;
                part.haplotype_count = h_end - h;
                part.first_pair = pair;
                read_count_ += part.reads;
                chunk->pairs += part.reads * part.haplotype_count;
                planning_ += kPlanPerRegion + part.reads * kPlanPerRead + letters * kPlanPerLetter;
            }
            if (end < reads_end) {
                chunk->read = end - batch_.region_reads[g];
            } else {
                chunk->pair += (reads_end - batch_.region_reads[g]) * (h_end - h);
                chunk->region++;
                chunk->read = 0;
            }
        }
        chunk->regions = count_;
        chunk->cells = cells;
    }

    bool any_wanted(int64_t first_pair, int64_t count) const {
        return !values_ || std::any_of(values_ + first_pair, values_ + first_pair + count,
                                       [](double x) { return isnan(x); });
    }
    bool wanted(const Part &part, int64_t read, int64_t haplotype) const {
        return !values_ ||
               isnan(values_[part.first_pair + read * part.haplotype_count + haplotype]);
    }
    int64_t length(const Part &part, int64_t read) const {
        const int64_t *at = batch_.read_offsets + part.first_read + read;
        return at[1] - at[0];
    }

    void plan_part(Part &part) {
        part.rows.clear();
        part.chosen.clear();
        for (int32_t r = 0; r < part.reads; r++) {
            if (length(part, r) > longest_) continue;
            if (any_wanted(part.first_pair + r * part.haplotype_count, part.haplotype_count))
                part.rows.push_back(r);
        }
        std::stable_sort(part.rows.begin(), part.rows.end(),
                         [&](int32_t x, int32_t y) { return length(part, x) > length(part, y); });
        part.read_bases = 0;
        for (const int32_t r : part.rows) part.read_bases += length(part, r);
        for (int32_t h = 0; h < part.haplotype_count; h++)
            if (std::any_of(part.rows.begin(), part.rows.end(),
                            [&](int32_t r) { return wanted(part, r, h); }))
                part.chosen.push_back(h);

        const int64_t *offsets = batch_.haplotype_offsets + batch_.region_haplotypes[part.region];
        const int64_t letters = offsets[part.haplotype_count] - offsets[0];
        PlanMemory &memory = plan_memory;
        memory.letters.resize(size_t(letters));
        part.refused =
            encode(options_.conventions == GKL_SHIM_AS_GKL, batch_.haplotype_bases + offsets[0],
                   letters, memory.letters.data()) >= 0;
        if (part.refused) return;
        memory.haplotypes.clear();
        for (const int32_t h : part.chosen)
            memory.haplotypes.push_back(
                {memory.letters.data() + (offsets[h] - offsets[0]), offsets[h + 1] - offsets[h]});
        memory.planner.make(memory.haplotypes.data(), int64_t(memory.haplotypes.size()),
                            &part.plan);
        part.heads.make(part.plan.heads, false);
        part.tails.make(part.plan.tails, true);
        for (int w = 0; w < width_count_; w++) part.tiles[w] = about_tiles(part, widths_[w]);
    }

    // As if each read had a warp full of its like.
    double about_tiles(const Part &part, int rows_a_lane) const {
        double tiles = 0;
        const uint32_t inverse = uint32_t((uint64_t(1) << 32) / uint32_t(rows_a_lane)) + 1;
        for (const int32_t r : part.rows) {
            const int64_t lanes =
                int64_t(uint64_t(length(part, r) + rows_a_lane - 1) * inverse >> 32);
            tiles += lanes <= kWarp ? kTileShare.of[lanes] : 1;
        }
        return ceil(tiles);
    }

    void count_tiles(Part &part) {
        part.tile_count =
            part.rows.empty() ? 0 : packer(part).pack([](int32_t, int, int) {}, [] {});
    }

    bool fits(const Part &part, int width) const {
        return length(part, part.rows[0]) <= kWarp * widths_[width];
    }
    Packer packer(const Part &part) const {
        return Packer(int32_t(part.rows.size()), widths_[part.width],
                      [&](int32_t k) { return int(length(part, part.rows[k])); });
    }

    // Cycles of a multiprocessor for a region's tiles.
    double cycles(const Part &part, int width) const {
        const double *of_column =
            options_.precision == GKL_SHIM_SINGLE ? kSingleCycles : kDoubleCycles;
        return part.tiles[width] * (double(part.columns()) + kColumnsPerTile) * of_column[width];
    }

    // One width for all that it holds: several kernels in turn leave the device idle at each end.
    void choose_widths(gkl_shim_cuda_chunk *chunk) {
        Estimate best = {std::numeric_limits<double>::infinity(), 1};
        int chosen = 0;
        for (int w = 0; w < width_count_; w++) {
            const Estimate with = estimate(w);
            const bool wanted = widths_[w] == options_.rows_a_lane;
            if (with.time >= best.time && !wanted) continue;
            best = with;
            chosen = w;
            if (wanted) break;
        }
        chunk->passes = best.passes;
        for (int64_t k = 0; k < count_; k++) parts_[k]->width = width_of(*parts_[k], chosen);
    }

    int width_of(const Part &part, int wanted) const {
        while (!part.rows.empty() && !fits(part, wanted)) wanted++;
        return wanted;
    }

    struct Estimate {
        double time;  // cycles
        int passes;
    };
    Estimate estimate(int width) const {
        double all = 0, longest = 0, tiles = 0;
        for (int64_t k = 0; k < count_; k++) {
            const Part &part = *parts_[k];
            if (part.rows.empty()) continue;
            const int w = width_of(part, width);
            longest = std::max(longest, (double(part.columns()) + kColumnsPerTile) *
                                            (kLatencyPerRow * widths_[w] + kLatencyPerColumn));
            all += cycles(part, w);
            tiles += part.tiles[w];
        }
        const int passes = tiles <= kBusyTiles * options_.multiprocessors ? 2 : 1;
        return {longest / passes + all / options_.multiprocessors, passes};
    }

    void lay_out(gkl_shim_cuda_chunk *chunk) {
        // The longest tiles first, kernel by kernel.
        order_.clear();
        for (int32_t k = 0; k < count_; k++)
            if (!parts_[k]->rows.empty()) order_.push_back(k);
        std::sort(order_.begin(), order_.end(), [&](int32_t x, int32_t y) {
            const Part &a = *parts_[x], &b = *parts_[y];
            return a.width != b.width ? a.width < b.width : a.columns() > b.columns();
        });
        for (int w = 0; w < GKL_SHIM_CUDA_WIDTHS; w++) chunk->tiles[w] = chunk->first_tile[w] = 0;
        int64_t tasks = 0, haplotypes = 0, events = 0, columns = kColumnMargin, bytes = 0;
        int64_t results = 0, scratch = 0;
        tile_count_ = 0;
        chunk->computed_cells = 0;
        for (const int32_t &k : order_) {
            Part &part = *parts_[k];
            if (chunk->tiles[part.width] == 0) chunk->first_tile[part.width] = tile_count_;
            part.position = int32_t(&k - order_.data());
            part.first_tile = tile_count_;
            part.first_task = int32_t(tasks);
            part.first_haplotype = int32_t(haplotypes);
            part.first_event = events;
            part.first_column = columns;
            part.first_byte = bytes;
            part.first_result = results;
            part.scratch = scratch;
            chunk->tiles[part.width] += part.tile_count;
            tile_count_ += part.tile_count;
            tasks += int64_t(part.rows.size());
            haplotypes += int64_t(part.chosen.size());
            events += int64_t(part.heads.events.size() + part.tails.events.size());
            columns += part.columns();
            bytes += bytes_of(part);
            results += int64_t(part.rows.size() * part.chosen.size());
            scratch += part.tile_count * tile_scratch(part);
            chunk->computed_cells += part.read_bases * part.plan.columns();
        }
        int64_t at = rounded(sizeof(ChunkHeader));
        const auto place = [&at](int64_t size) {
            const int64_t here = at;
            at += rounded(size);
            return here;
        };
        header_.bases = place(bytes);
        header_.base_quals = place(bytes);
        header_.insertion_quals = place(bytes);
        header_.deletion_quals = place(bytes);
        header_.continuation_quals = place(bytes);
        columns_at_ = place(columns + kColumnMargin);
        events_at_ = place(events * int64_t(sizeof(Event)));
        header_.regions = place(int64_t(order_.size() * sizeof(RegionRecord)));
        header_.haplotypes = place(haplotypes * int64_t(sizeof(HaplotypeRecord)));
        header_.reads = place(tasks * int64_t(sizeof(ReadRecord)));
        header_.tiles = place(tile_count_ * int64_t(sizeof(TileRecord)));
        header_.finished = place(tile_count_ * int64_t(sizeof(int32_t)));
        columns_after_ = events_at_ - columns_at_ - columns;
        results_count_ = results;
        chunk->block_bytes = at;
        chunk->scratch_bytes = scratch;
        chunk->results = results;
    }

    // All bytes of the part's reads travel, computed or not: they lie together.
    int64_t bytes_of(const Part &part) const {
        return batch_.read_offsets[part.first_read + part.reads] -
               batch_.read_offsets[part.first_read];
    }

    int64_t tile_scratch(const Part &part) const {
        const int rows = widths_[part.width];
        return rounded(options_.precision == GKL_SHIM_SINGLE
                           ? TileScratch<float>(rows, part.heads.states, part.tails.states).bytes
                           : TileScratch<double>(rows, part.heads.states, part.tails.states).bytes);
    }

    template <class A>
    A *array(int64_t offset) const {
        return reinterpret_cast<A *>(block_ + offset);
    }

    void write_part(Part &part) {
        if (part.rows.empty()) return;
        const int64_t bytes = bytes_of(part), from = batch_.read_offsets[part.first_read];
        const struct {
            int64_t to;
            const uint8_t *from;
        } tracks[] = {{header_.bases, batch_.read_bases},
                      {header_.base_quals, batch_.base_quals},
                      {header_.insertion_quals, batch_.insertion_quals},
                      {header_.deletion_quals, batch_.deletion_quals},
                      {header_.continuation_quals, batch_.continuation_quals}};
        for (const auto &track : tracks)
            memcpy(block_ + track.to + part.first_byte, track.from + from, size_t(bytes));

        const int32_t region = part.position;
        RegionRecord record;
        record.haplotypes = part.first_haplotype;
        record.haplotype_count = int32_t(part.chosen.size());
        record.out = part.first_result;
        int64_t column = columns_at_ + part.first_column;
        int64_t event = events_at_ + part.first_event * int64_t(sizeof(Event));
        const auto write_stream = [&](const Stream &stream, TrieRecord *trie) {
            *trie = {uint32_t(column), uint32_t(event), stream.states, 0};
            std::copy(stream.columns.begin(), stream.columns.end(), block_ + column);
            Event *to = array<Event>(event);
            for (const Event &from : stream.events) {
                *to = from;
                if (from.at != kNoEvent) to->at += uint32_t(column);
                to++;
            }
            column += int64_t(stream.columns.size());
            event += int64_t(stream.events.size() * sizeof(Event));
        };
        write_stream(part.heads, &record.heads);
        write_stream(part.tails, &record.tails);
        array<RegionRecord>(header_.regions)[region] = record;

        HaplotypeRecord *haplotype =
            array<HaplotypeRecord>(header_.haplotypes) + part.first_haplotype;
        for (size_t h = 0; h < part.chosen.size(); h++) {
            const Join &join = part.plan.joins[size_t(part.plan.join_of[h])];
            *haplotype++ = {join.head, join.tail, int32_t(join.length), 0};
        }

        ReadRecord *read = array<ReadRecord>(header_.reads) + part.first_task;
        TileRecord *tile = array<TileRecord>(header_.tiles) + part.first_tile;
        int32_t task = part.first_task, first_task = task;
        int64_t scratch = part.scratch;
        packer(part).pack(
            [&](int32_t k, int lane, int lanes) {
                const int64_t at = part.first_read + part.rows[k];
                *read++ = {int32_t(part.first_byte + batch_.read_offsets[at] - from),
                           int32_t(length(part, part.rows[k])),
                           region,
                           k,
                           lane,
                           lanes};
                memset(tile->read_of + lane, task - first_task, size_t(lanes));
                tile->widest = lane == 0 ? lanes : tile->widest;
                task++;
            },
            [&] {
                tile->first_read = first_task;
                tile->reads = task - first_task;
                tile->head_states = part.heads.states;
                tile->tail_states = part.tails.states;
                tile->scratch = scratch;
                const ReadRecord &last = read[-1];
                const int used = last.lane + last.lanes;
                memset(tile->read_of + used, kNoRead, size_t(kWarp - used));
                tile++;
                first_task = task;
                scratch += tile_scratch(part);
            });
    }

    void finish_part(Part &part) {
        int64_t missing = 0;
        double *values = written_ + part.first_pair;
        const double nan = std::numeric_limits<double>::quiet_NaN();
        if (!values_) {
            for (int64_t r = 0; r < part.reads; r++)
                if (length(part, r) > longest_)
                    std::fill_n(values + r * part.haplotype_count, part.haplotype_count, nan);
        }
        const size_t count = part.chosen.size();
        const double *result = results_ + part.first_result;
        for (const int32_t row : part.rows) {
            double *to = values + row * part.haplotype_count;
            for (size_t h = 0; h < count; h++, result++)
                if (wanted(part, row, part.chosen[h])) to[part.chosen[h]] = *result;
        }
        const double *all = values;
        for (int64_t k = 0; k < part.reads * part.haplotype_count; k++) missing += all[k] != all[k];
        missing_ += missing;
    }

    gkl_shim_cuda_options options_;
    int32_t widths_[GKL_SHIM_CUDA_WIDTHS];
    int width_count_;
    int64_t longest_;

    gkl_shim_pairhmm_batch batch_;
    const double *values_;  // null: all are wanted
    std::vector<std::unique_ptr<Part>> parts_;
    std::vector<int32_t> order_;
    int64_t count_, read_count_, read_bases_, results_count_;
    int64_t planning_;  // nanoseconds, about
    int32_t tile_count_;
    ChunkHeader header_;
    int64_t columns_at_, events_at_;  // in the block
    int64_t columns_after_;           // bytes between the last column and what follows

    uint8_t *block_;
    const double *results_;
    double *written_;
    std::atomic<int64_t> missing_;
};

extern "C" gkl_shim_status gkl_shim_cuda_open(const gkl_shim_cuda_options *options,
                                              gkl_shim_cuda_planner **planner) {
    try {
        *planner = new gkl_shim_cuda_planner(*options);
    } catch (const std::bad_alloc &) {
        *planner = nullptr;
        return out_of_memory();
    }
    return GKL_SHIM_OK;
}

extern "C" void gkl_shim_cuda_widths(int32_t precision, int32_t widths[GKL_SHIM_CUDA_WIDTHS]) {
    std::copy_n(precision == GKL_SHIM_SINGLE ? kSingleWidths : kDoubleWidths, GKL_SHIM_CUDA_WIDTHS,
                widths);
}

extern "C" int64_t gkl_shim_cuda_tables(int32_t precision, int32_t conventions, void *tables) {
    const bool as_gkl = conventions == GKL_SHIM_AS_GKL;
    if (precision == GKL_SHIM_SINGLE) {
        if (tables) write_tables(as_gkl, single_tables(), static_cast<CudaTables<float> *>(tables));
        return sizeof(CudaTables<float>);
    }
    if (tables) write_tables(as_gkl, double_tables(), static_cast<CudaTables<double> *>(tables));
    return sizeof(CudaTables<double>);
}

extern "C" int32_t gkl_shim_cuda_take(gkl_shim_cuda_planner *planner,
                                      const gkl_shim_pairhmm_batch *batch, const double *values,
                                      gkl_shim_cuda_chunk *chunk) {
    try {
        return planner->take(*batch, values, chunk);
    } catch (const std::bad_alloc &) {
        out_of_memory();
        return -1;
    }
}

extern "C" gkl_shim_status gkl_shim_cuda_plan(gkl_shim_cuda_planner *planner,
                                              gkl_shim_cuda_chunk *chunk) {
    try {
        return planner->plan(chunk);
    } catch (const std::bad_alloc &) {
        return out_of_memory();
    }
}

extern "C" void gkl_shim_cuda_write(gkl_shim_cuda_planner *planner, void *block) {
    planner->write(static_cast<uint8_t *>(block));
}

extern "C" int64_t gkl_shim_cuda_finish(gkl_shim_cuda_planner *planner, const double *results,
                                        double *values) {
    return planner->finish(results, values);
}

extern "C" void gkl_shim_cuda_close(gkl_shim_cuda_planner *planner) { delete planner; }

#include "hmm/cuda/lone/lone_planner.h"

#include <math.h>
#include <string.h>

#include <atomic>

#include "common/error.h"
#include "common/thread_pool.h"
#include "hmm/cuda/lone/lone_letters.h"
#include "hmm/letters.h"
#include "hmm/pairhmm/cuts.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace gkl_shim::pairhmm {
namespace {

// Several threads share the copying of a chunk in pieces of this size.
constexpr int64_t kPieceBytes = 1 << 17;
// The time that reading takes one thread, in bytes a nanosecond.
constexpr int64_t kBytesPerNanosecond = 6;

static_assert(kLoneColumns == kLongestUncut, "a longer haplotype is cut");

int64_t longest_lone(int32_t precision) {
    return precision == GKL_SHIM_SINGLE ? kLongestLone : kLongestLoneDouble;
}

// Haplotypes of a kind have about as many columns; longer ones come first.
enum { kStep = 64, kSteps = LonePlanner::kSteps };
inline int step_of(int64_t columns) { return kSteps - 1 - int(columns / kStep); }

constexpr uint16_t first_kind(int kernel, int lanes) {
    return uint16_t((kernel * (kWarp + 1) + lanes) * kSteps);
}

// For each number of rows, the first kind of the kernel and the lanes that cost the fewest cycles.
// Double precision has one kernel.
struct FirstKinds {
    constexpr explicit FirstKinds(int32_t precision) {
        if (precision == GKL_SHIM_DOUBLE) {
            for (int rows = 0; rows <= kLongestLoneDouble; rows++)
                of[rows] = first_kind(LonePlanner::kDouble, lone_double_lanes(rows));
            return;
        }
        // Cycles of a multiprocessor for a column, measured on an H100, and what setting up a tile
        // costs, in columns.
        const double cycles[kLoneKernels] = {18, 34.6, 40.1, 67.4};
        const int set_up = 8;
        for (int rows = 0; rows <= kLongestLone; rows++) {
            double best = 1e9;
            for (int k = 0; k < kLoneKernels; k++) {
                const int lanes = (rows + kLoneRowsPerLane[k] - 1) / kLoneRowsPerLane[k];
                if (lanes == 0 || lanes > kWarp) continue;
                const double cost = cycles[k] * (rows + lanes + set_up) / (kWarp / lanes);
                if (cost >= best) continue;
                best = cost;
                of[rows] = first_kind(k, lanes);
            }
        }
    }
    uint16_t of[kLongestLone + 1] = {};
};
constexpr FirstKinds kFirstKinds[] = {FirstKinds(GKL_SHIM_SINGLE), FirstKinds(GKL_SHIM_DOUBLE)};

int32_t tiles_of(int32_t pairs, int lanes) {
    return (pairs + pairs_of_tile(lanes) - 1) / pairs_of_tile(lanes);
}

// Whether all bytes are the same, read by several threads.
bool is_constant(const uint8_t *bytes, int64_t count, int32_t threads) {
    std::atomic<bool> same{true};
    parallel_for_ranges(
        count - 1, kPieceBytes, count / kBytesPerNanosecond, threads,
        [&](int64_t begin, int64_t end) {
            if (same && memcmp(bytes + begin, bytes + begin + 1, size_t(end - begin)) != 0)
                same = false;
        });
    return same;
}

// Writes bytes to memory past the CPU's caches: the bus reads memory faster than a cache. `to` is a
// multiple of sizeof(Bytes). Call finish_stores() after the last of them.
inline void store_past_caches(uint8_t *to, Bytes bytes) {
#if defined(__x86_64__)
    _mm_stream_si128(reinterpret_cast<__m128i *>(to), reinterpret_cast<__m128i>(bytes));
#else
    memcpy(to, &bytes, sizeof bytes);
#endif
}
inline void finish_stores() {
#if defined(__x86_64__)
    _mm_sfence();
#endif
}

// Writes the code of each base and its quality, to a multiple of sizeof(Bytes). Returns the highest
// quality.
template <bool AS_GKL>
uint8_t code_bases(const uint8_t *bases, const uint8_t *quals, int64_t count, uint8_t *codes) {
    const int64_t size = sizeof(Bytes);
    Bytes highest = {};
    const auto coded = [&highest](Bytes b, Bytes q) {
        q &= uint8_t(kQualities - 1);
        highest = q > highest ? q : highest;
        return q + letters_of<AS_GKL, kCodedQualities>(b);
    };
    Bytes b, q;
    int64_t k = 0;
    for (; k + size <= count; k += size) {
        memcpy(&b, bases + k, size);
        memcpy(&q, quals + k, size);
        store_past_caches(codes + k, coded(b, q));
    }
    finish_stores();
    if (k < count) {
        b = q = Bytes{};
        memcpy(&b, bases + k, size_t(count - k));
        memcpy(&q, quals + k, size_t(count - k));
        b = coded(b, q);
        memcpy(codes + k, &b, size_t(count - k));
    }
    uint8_t max = 0;
    for (int z = 0; z < size; z++) max = std::max(max, uint8_t(highest[z]));
    return max;
}

}  // namespace

bool is_lone(int32_t precision, const gkl_shim_pairhmm_batch &batch, const hmm::Shape &shape) {
    const int64_t reads = reads_of(batch);
    return shape.one_haplotype && shape.letters <= kLoneColumns && reads > 0 &&
           batch.read_offsets[reads] <= longest_lone(precision) * reads;
}

void LonePlanner::choose_reads(int32_t precision, const ChunkInputs &inputs, bool one_gap,
                               int64_t bases, BatchPlace *place) {
    precision_ = precision;
    batch_ = *inputs.batch;
    threads_ = std::max(1, inputs.threads);
    one_gap_ = one_gap;
    const int64_t *const offsets = batch_.read_offsets, all = reads_of(batch_);
    first_region_ = place->region;
    first_read_ = batch_.region_reads[first_region_] + place->read;
    // The last offset that is not too far.
    int64_t end =
        std::upper_bound(offsets + first_read_, offsets + all + 1, offsets[first_read_] + bases) -
        offsets - 1;
    end = std::max(end, first_read_ + 1);
    const auto region_of = [&](int64_t read) {
        return std::upper_bound(batch_.region_reads + first_region_ + 1,
                                batch_.region_reads + batch_.regions + 1, read) -
               batch_.region_reads - 1;
    };
    first_region_ = region_of(first_read_);  // regions without reads may come before it
    // Few reads may have long haplotypes.
    const auto letters = [&] {
        return batch_.haplotype_offsets[region_of(end - 1) + 1] -
               batch_.haplotype_offsets[first_region_];
    };
    while (end > first_read_ + 1 && letters() > 2 * bases)
        end = first_read_ + (end - first_read_ + 1) / 2;
    end_read_ = end;
    // A region of one haplotype has as many pairs as reads.
    place->region = end < all ? region_of(end) : batch_.regions;
    place->pair = batch_.region_reads[place->region];
    place->read = end - place->pair;
}

// Calls take(region, columns, first, last) for each region: its reads [first, last).
template <class Take>
void LonePlanner::each_region(Take take) const {
    int64_t region = first_region_;
    for (int64_t first = first_read_; first < end_read_; region++) {
        const int64_t last = std::min(batch_.region_reads[region + 1], end_read_);
        const int64_t *const letters = batch_.haplotype_offsets + region;
        take(region, letters[1] - letters[0], first, last);
        first = last;
    }
}

void LonePlanner::plan() {
    first_base_ = batch_.read_offsets[first_read_];
    bases_ = batch_.read_offsets[end_read_] - first_base_;
    memset(kinds_, 0, sizeof kinds_);
    const uint16_t *const first_kinds = kFirstKinds[precision_].of;
    const int64_t *const reads = batch_.read_offsets;
    const int64_t *const haplotypes = batch_.haplotype_offsets;
    const int64_t longest = longest_lone(precision_);
    int64_t cells = 0, long_reads = 0, end_region = first_region_;
    fits_double_ = true;
    each_region([&](int64_t region, int64_t columns, int64_t first, int64_t last) {
        end_region = region + 1;
        cells += (reads[last] - reads[first]) * columns;
        int32_t *const kinds = kinds_ + step_of(columns);
        for (int64_t read = first; read < last; read++) {
            const int64_t rows = reads[read + 1] - reads[read];
            fits_double_ &= rows <= kLongestOneStripe;
            if (rows > longest) {
                long_reads++;
                cells -= rows * columns;
                continue;
            }
            kinds[first_kinds[rows]]++;
        }
    });
    computed_ = end_read_ - first_read_ - long_reads;
    chunk_ = {};
    chunk_.computed_cells = cells;
    first_letter_ = haplotypes[first_region_];
    letters_ = haplotypes[end_region] - first_letter_;

    place_pairs();
    find_constants();
    int64_t at = gpu::aligned(sizeof(LoneHeader));
    const auto place = [&at](int64_t size) {
        const int64_t here = at;
        at += gpu::aligned(size);
        return here;
    };
    header_.pairs = place(computed_ * int64_t(sizeof(LonePair)));
    // The kernel in double precision makes its tiles from the selection.
    header_.tiles = place(first_tile[kDouble] * int64_t(sizeof(LoneTile)));
    selection_at_ = place(sizeof selection_);
    header_.letters = place(kLettersBefore + letters_ + kLettersAfter) + kLettersBefore;
    // A lane loads words, of which the last may begin with a read's last base.
    const int64_t track = bases_ + 8;
    header_.bases = place(track);
    header_.insertion_quals = place(header_.one_gap ? 1 : track);
    header_.deletion_quals =
        one_gap_open_ ? header_.insertion_quals : place(header_.one_gap ? 1 : track);
    header_.continuation_quals = place(header_.one_continuation ? 1 : track);
    end_ = at;
    header_.base_quals = place(track);
    chunk_.block_bytes = at;
    chunk_.results = computed_;
    if (precision_ == GKL_SHIM_SINGLE) {
        // For select().
        chunk_.scratch_bytes = int64_t(sizeof selection_) + computed_ * int64_t(sizeof(uint32_t));
    } else {
        int32_t two_stripes = 0;
        for (int lanes = kWarp + 1; lanes <= kLoneDoubleLanes; lanes++)
            two_stripes += selection_.count[lanes];
        chunk_.scratch_bytes = std::min(two_stripes, double_blocks()) * int64_t(sizeof(LoneSeam));
    }
}

// Turns counts of pairs into places of the first pairs, counts tiles, and selects the pairs of the
// kernel in double precision.
void LonePlanner::place_pairs() {
    int32_t pairs = 0, tile = 0;
    selection_ = {};
    for (int k = 0, kind = 0; k <= kDouble; k++) {
        first_tile[k] = tile;
        for (int lanes = 0; lanes <= (k == kDouble ? int(kLoneDoubleLanes) : int(kWarp)); lanes++) {
            const int32_t first = pairs;
            for (const int end = kind + kSteps; kind < end; kind++) {
                const int32_t count = kinds_[kind];
                kinds_[kind] = pairs;
                pairs += count;
            }
            if (lanes > 0) tile += tiles_of(pairs - first, lanes);
            if (k == kDouble) {
                selection_.first[lanes] = first;
                selection_.count[lanes] = pairs - first;
            }
        }
        tiles[k] = tile - first_tile[k];
    }
}

void LonePlanner::find_constants() {
    const uint8_t *const insertion = batch_.insertion_quals + first_base_;
    const uint8_t *const deletion = batch_.deletion_quals + first_base_;
    const auto constant = [&](const uint8_t *track) {
        return one_gap_ || is_constant(track, bases_, threads_);
    };
    header_.one_continuation = constant(batch_.continuation_quals + first_base_);
    header_.one_gap = header_.one_continuation && constant(insertion) && constant(deletion);
    one_gap_open_ = header_.one_gap ? *insertion == *deletion
                                    : memcmp(insertion, deletion, size_t(bases_)) == 0;
}

void LonePlanner::write(uint8_t *block) {
    write_pairs(block);  // first, while the offsets are in the caches
    header_.coded = write_codes(block);
    memcpy(block, &header_, sizeof header_);
    memcpy(block + selection_at_, &selection_, sizeof selection_);
    copy_tracks(block);
    write_letters(block);
    if (header_.coded) chunk_.block_bytes = end_;
}

// Writes bases with their qualities in codes. Returns whether all qualities are low enough.
bool LonePlanner::write_codes(uint8_t *block) const {
    const uint8_t *const bases = batch_.read_bases + first_base_;
    const uint8_t *const quals = batch_.base_quals + first_base_;
    uint8_t *const codes = block + header_.bases;
    std::atomic<bool> low{true};
    parallel_for_ranges(
        bases_, kPieceBytes, bases_ / kBytesPerNanosecond, threads_,
        [&](int64_t begin, int64_t end) {
            if (!low) return;
            const auto code = as_gkl_ ? code_bases<true> : code_bases<false>;
            if (code(bases + begin, quals + begin, end - begin, codes + begin) >= kCodedQualities)
                low = false;
        });
    return low;
}

void LonePlanner::copy_tracks(uint8_t *block) const {
    struct Track {
        int64_t to;
        const uint8_t *from;
        int64_t size;
    } tracks[kReadTrackCount];
    int count = 0;
    if (!header_.coded) {
        tracks[count++] = {header_.bases, batch_.read_bases, bases_};
        tracks[count++] = {header_.base_quals, batch_.base_quals, bases_};
    }
    const int64_t gaps = header_.one_gap ? 1 : bases_;
    tracks[count++] = {header_.insertion_quals, batch_.insertion_quals, gaps};
    if (!one_gap_open_) tracks[count++] = {header_.deletion_quals, batch_.deletion_quals, gaps};
    tracks[count++] = {header_.continuation_quals, batch_.continuation_quals,
                       header_.one_continuation ? 1 : bases_};
    const int64_t pieces = (bases_ + kPieceBytes - 1) / kPieceBytes;
    parallel_for(pieces * count, bases_ * count / kBytesPerNanosecond, threads_, [&](int64_t k) {
        const Track &track = tracks[k % count];
        const int64_t begin = k / count * kPieceBytes;
        if (begin >= track.size) return;
        memcpy(block + track.to + begin, track.from + first_base_ + begin,
               size_t(std::min(kPieceBytes, track.size - begin)));
    });
}

void LonePlanner::write_letters(uint8_t *block) const {
    uint8_t *const letters = block + header_.letters;
    memset(letters - kLettersBefore, kA, kLettersBefore);
    memset(letters + letters_, kA, kLettersAfter);
    const int64_t refused =
        encode_letters(as_gkl_, batch_.haplotype_bases + first_letter_, letters_, letters);
    if (refused < 0) return;
    const int64_t *const end =
        std::upper_bound(batch_.haplotype_offsets, batch_.haplotype_offsets + batch_.regions,
                         first_letter_ + refused);
    check(invalid("haplotype_bases: a letter of region %lld is none of ACGTN",
                  (long long)(end - batch_.haplotype_offsets - 1)));
}

void LonePlanner::write_pairs(uint8_t *block) const {
    LonePair *const pairs = reinterpret_cast<LonePair *>(block + header_.pairs);
    const int64_t *const reads = batch_.read_offsets;
    const int64_t *const haplotypes = batch_.haplotype_offsets;
    const uint16_t *const first_kinds = kFirstKinds[precision_].of;
    const int64_t longest = longest_lone(precision_);
    int32_t next[kKinds];
    memcpy(next, kinds_, sizeof next);
    uint32_t result = 0;
    each_region([&](int64_t region, int64_t columns, int64_t first, int64_t last) {
        const uint32_t haplotype = uint32_t(haplotypes[region] - first_letter_);
        int32_t *const kinds = next + step_of(columns);
        for (int64_t read = first; read < last; read++) {
            const int64_t rows = reads[read + 1] - reads[read];
            if (rows > longest) continue;
            pairs[kinds[first_kinds[rows]]++] = {uint32_t(reads[read] - first_base_), haplotype,
                                                 uint16_t(rows), uint16_t(columns), result++};
        }
    });

    LoneTile *tile = reinterpret_cast<LoneTile *>(block + header_.tiles);
    for (int shape = 0; shape < kLoneKernels * (kWarp + 1); shape++) {
        const int lanes = shape % (kWarp + 1);
        const int32_t end = next[shape * kSteps + kSteps - 1];
        for (int32_t pair = kinds_[shape * kSteps]; pair < end;) {
            const int32_t count = std::min(int32_t(kWarp / lanes), end - pair);
            *tile++ = {uint32_t(pair), uint16_t(count), uint16_t(lanes)};
            pair += count;
        }
    }
}

int64_t LonePlanner::select(const uint8_t *block, const double *results, uint8_t *to) {
    const LonePair *const pairs = reinterpret_cast<const LonePair *>(block + header_.pairs);
    const auto each_selected = [&](auto visit) {
        for (int64_t k = 0; k < computed_; k++)
            if (!results || isnan(results[pairs[k].result]))
                visit(k, lone_double_lanes(pairs[k].rows));
    };
    LoneSelection &selection = *reinterpret_cast<LoneSelection *>(to);
    selection = {};
    selection.has_list = 1;
    each_selected([&](int64_t, int32_t lanes) { selection.count[lanes]++; });
    int32_t next[kLoneDoubleLanes + 1], count = 0;
    tiles[kDouble] = 0;
    for (int lanes = 1; lanes <= kLoneDoubleLanes; lanes++) {
        selection.first[lanes] = next[lanes] = count;
        count += selection.count[lanes];
        tiles[kDouble] += tiles_of(selection.count[lanes], lanes);
    }
    uint32_t *const list = reinterpret_cast<uint32_t *>(&selection + 1);
    each_selected([&](int64_t k, int32_t lanes) { list[next[lanes]++] = uint32_t(k); });
    return int64_t(sizeof selection) + count * int64_t(sizeof *list);
}

int64_t LonePlanner::collect(const double *results, double *values) const {
    double *const to = values + first_read_;
    const int64_t pairs = end_read_ - first_read_;
    int64_t missing = 0;
    if (computed_ == pairs) {
        for (int64_t k = 0; k < pairs; k++) {
            to[k] = results[k];
            missing += results[k] != results[k];
        }
        return missing;
    }
    const int64_t *const reads = batch_.read_offsets + first_read_;
    const int64_t longest = longest_lone(precision_);
    for (int64_t k = 0; k < pairs; k++) {
        to[k] = reads[k + 1] - reads[k] <= longest ? *results++ : no_result();
        missing += to[k] != to[k];
    }
    return missing;
}

}  // namespace gkl_shim::pairhmm

extern "C" void gkl_shim_pairhmm_cuda_lone_rows(int32_t rows[GKL_SHIM_PAIRHMM_CUDA_LONE_KERNELS]) {
    std::copy_n(gkl_shim::pairhmm::kLoneRowsPerLane, GKL_SHIM_PAIRHMM_CUDA_LONE_KERNELS, rows);
}

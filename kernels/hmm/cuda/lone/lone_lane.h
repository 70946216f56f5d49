// The kernels for regions of one haplotype, which share no columns. Batches of reads by one
// haplotype are what the Python API is for. The kernels compute the CPU engine's bits
// (hmm/recurrence.h). lone_format.h describes their input.
//
// A block is one warp. It computes a tile: up to 32 pairs, each on neighbouring lanes. Pairs of a
// tile take the same number of lanes, and each has its own haplotype. In single precision a block
// has one tile. In double precision the blocks share the tiles, because most launches have few: the
// pairs that have left single precision, which the host lists.
//
// A thread is one lane. It keeps R rows of a read in registers: four coefficients and two states
// for each row. A read's last row is in the last register of its last lane; the registers above its
// first row are padding and pass the start value down. Lane l of a pair is one column behind lane
// l - 1 and receives two numbers from it in every column, by shuffles. A lane that has not reached
// its first column computes zeros from zeros. The last lane sums up its last row, and converts the
// sum to a likelihood at the haplotype's end.
//
// Nothing is saved or joined, and nothing is kept in global memory. Emissions come from shared
// memory, [letter][group of rows][lane], by 16-byte loads.
//
// Reading registers bounds the columns (kernels.cu), and setting up a tile costs about as much as
// six columns. With 16 rows a lane in single precision, a thread has 168 registers, 12 warps fit a
// multiprocessor, and a column takes 93 instructions. At 256 bases the schedulers issue in 72% of
// all cycles. With 32 rows a lane it is 255 registers, 8 warps and 177 instructions, and nothing is
// spilled in the columns. With 8, 16, 20 and 32 rows a lane, a column costs a multiprocessor
// 2.2, 2.2, 2.0 and 2.1 cycles for each of these rows. On an H100 reads and haplotypes of 32, 64,
// 128, 250, 512 and 1,024 bases are computed with 2.8, 3.3, 3.6, 3.7, 3.8 and 3.8 10^12 cells a
// second if all bases have the same gap qualities. Otherwise each row's coefficients are looked up:
// with 16 rows a lane, 2.5, 3.0 and 3.3 10^12 at 32, 64 and 128 bases in place of 2.8, 3.2 and 3.4.
//
// In double precision a thread has all 255 registers, and 8 warps fit. A multiply-add occupies a
// scheduler's FP64 unit for two cycles, so five for each cell allow 3.3 10^12 cells a second. The
// unit is busy in 66% of all cycles at 256 bases; with two warps a scheduler, a warp often waits
// for its own result. That makes 1.6, 1.8, 2.0, 2.0 and 2.0 10^12. With 12 rows a lane it is 0.9 to
// 1.1, and with 8 rows 1.4 to 1.7, although 10 and 16 warps fit.
//
// A read of more than 512 rows has two stripes in double precision. The warp walks the upper one
// first, and stores what its last row passes on in each column to a seam in global memory. The
// lower one loads it a column ahead. At 1,024 bases that makes 2.0 10^12.
#pragma once

#include "hmm/cuda/kernels/instructions.h"
#include "hmm/cuda/lone/lone_format.h"
#include "hmm/join.h"

namespace gkl_shim::pairhmm {
namespace {

// Which rows of its pairs a tile computes: all, or the upper or the lower stripe of one pair.
enum LonePart { kAllRows, kUpperStripe, kLowerStripe };

template <class T, int R, LonePart PART = kAllRows>
class LoneLane {
   public:
    // A tile of pairs that take this many lanes each. pair_at(k) is the index of its k-th pair.
    template <class PairAt>
    __device__ __forceinline__ LoneLane(const uint8_t *chunk, const CudaTables<T> *tables,
                                        int lanes, int pairs, PairAt pair_at)
        : chunk_(chunk), tables_(tables), lanes_(lanes) {
        const int lane = threadIdx.x;
        const int slot = lane / lanes;
        lane_ = lane - slot * lanes;
        in_use_ = slot < pairs;
        pair_ = array<LonePair>(header().pairs)[pair_at(in_use_ ? slot : 0)];
        const int lanes_below = PART == kUpperStripe ? kWarp : 0;
        first_row_ = int(pair_.rows) - (lanes_below + lanes - lane_) * R + 1;
        emissions_at_ = shared_address(emissions());
    }

    __device__ __forceinline__ void set_up() {
        uint8_t letters[R], quals[R];
        const uint32_t at = pair_.read + uint32_t(first_row_ - 1);
        load_rows<R>(header().bases, at, letters);
        if (header().coded) {
#pragma unroll
            for (int k = 0; k < R; k++) {
                const unsigned code = letters[k], letter = code / kCodedQualities;
                letters[k] = uint8_t(letter);
                quals[k] = uint8_t(code - letter * kCodedQualities);
            }
        } else {
            load_rows<R>(header().base_quals, at, quals);
#pragma unroll
            for (int k = 0; k < R; k++) letters[k] = tables_->letter[letters[k]] & 7;
        }
        if (header().one_gap) {
            const Gap own = gap_at(0);
#pragma unroll
            for (int k = R - 1; k >= 0; k--) make_row(k, own, own, letters[k], quals[k]);
        } else {
            Gap below = gap_at(int32_t(at) + R);
            const bool one = header().one_continuation;
            uint8_t insertion[R], deletion[R], continuation[R];
            load_rows<R>(header().insertion_quals, at, insertion);
            load_rows<R>(header().deletion_quals, at, deletion);
            if (!one) load_rows<R>(header().continuation_quals, at, continuation);
#pragma unroll
            for (int k = R - 1; k >= 0; k--) {
                Gap own = gap_of(insertion[k], deletion[k], one ? 0 : continuation[k]);
                if (one) own.xx = below.xx;
                make_row(k, own, below, letters[k], quals[k]);
                below = own;
            }
        }
    }

    // Walks down the haplotypes of the tile's pairs, and writes their results. A stripe writes or
    // reads its seam.
    __device__ __forceinline__ void walk(double *results, BoundaryState<T> *seam = nullptr) {
        const T top = border();
        const bool first = lane_ == 0;
        diagonal_ = above_t_ = PART != kLowerStripe && first ? top : T(0);
        above_insertion_ = ends_ = 0;
        if (PART == kUpperStripe) {
            // Lanes of the lower stripe go beyond the haplotype's end.
            BoundaryState<T> *const end = seam + kLoneSeamMargin + pair_.columns;
            for (int k = 1 + lane_; k < kLoneSeamMargin; k += lanes_) end[k] = {};
            seam += kLoneSeamMargin - lane_;
        }
        if (PART == kLowerStripe) {
            seam += kLoneSeamMargin + 1;
            if (first) {
                above_t_ = seam[0].t;
                above_insertion_ = seam[0].insertion;
            }
            next_flow_ = seam[1];
            seam += 1;
        }
#pragma unroll
        for (int k = 0; k < R; k++) t_[k] = d_[k] = first_row_ + k < 1 ? top : T(0);
        __syncwarp();
        const uint8_t *column = array<uint8_t>(header().letters) + int64_t(pair_.haplotype) - lane_;
        letter_ = load_letter(column);
        pack_ = load_emissions(letter_, 0);
        // The columns until the last lane of this lane's pair is at the end of its haplotype.
        unsigned left = in_use_ ? pair_.columns + lanes_ - 1u : ~0u;
        for (;;) {
            const unsigned columns = least_of_warp(left);
            if (columns == ~0u) break;
            unsigned k = columns;
            for (; k >= kUnrolled; k -= kUnrolled) {
#pragma unroll
                for (int z = 1; z <= kUnrolled; z++)
                    step(column + z, first, top, PART == kAllRows ? seam : seam + z);
                column += kUnrolled;
                if (PART != kAllRows) seam += kUnrolled;
            }
            for (; k > 0; k--) step(++column, first, top, PART == kAllRows ? seam : ++seam);
            if (left == columns) {
                if (PART != kUpperStripe && lane_ == lanes_ - 1)
                    results[pair_.result] =
                        joined_likelihood<T, double, int64_t>(ends_, 0, 0, pair_.columns);
                left = ~0u;
            } else if (left != ~0u) {
                left -= columns;
            }
        }
    }

   private:
    enum { kGroup = Pack<T>::kCount, kGroups = R / kGroup, kUnrolled = 4 };

    // A row's facts that follow from its gap qualities.
    struct Gap {
        typename CudaTables<T>::Gap of;
        T md, xx;
    };

    __device__ __forceinline__ const LoneHeader &header() const {
        return *reinterpret_cast<const LoneHeader *>(chunk_);
    }
    template <class A>
    __device__ __forceinline__ const A *array(int64_t offset) const {
        return reinterpret_cast<const A *>(chunk_ + offset);
    }
    static __device__ __forceinline__ Pack<T> *emissions() {
        extern __shared__ __align__(16) uint8_t shared_memory[];
        return reinterpret_cast<Pack<T> *>(shared_memory) + threadIdx.x;
    }

    // Loads the bytes [at, at + COUNT) of a track, in words. Rows of padding receive bytes of other
    // reads, or of what lies before the track.
    template <int COUNT>
    __device__ __forceinline__ void load_rows(int64_t track, uint32_t at, uint8_t *to) const {
        static_assert(COUNT % 4 == 0, "words");
        const int64_t from = track + int32_t(at);
        const uint32_t *words = array<uint32_t>(from & ~int64_t(3));
        const unsigned shift = unsigned(from & 3) * 8;
        uint32_t word = words[0];
#pragma unroll
        for (int k = 0; k < COUNT / 4; k++) {
            const uint32_t next = words[k + 1];
            const uint32_t four = uint32_t((uint64_t(next) << 32 | word) >> shift);
            word = next;
#pragma unroll
            for (int z = 0; z < 4; z++) to[4 * k + z] = uint8_t(four >> 8 * z);
        }
    }

    __device__ __forceinline__ Gap gap_of(unsigned insertion, unsigned deletion,
                                          unsigned continuation) const {
        insertion &= kQualities - 1;
        deletion &= kQualities - 1;
        return {tables_->gap[insertion * kQualities + deletion], tables_->probability[deletion],
                tables_->probability[continuation & (kQualities - 1)]};
    }
    __device__ __forceinline__ Gap gap_at(int32_t at) const {
        const LoneHeader &h = header();
        return gap_of(array<uint8_t>(h.insertion_quals)[at], array<uint8_t>(h.deletion_quals)[at],
                      array<uint8_t>(h.continuation_quals)[h.one_continuation ? 0 : at]);
    }

    // The T and the D above a read's first row, and to the left of it.
    __device__ __forceinline__ T border() const {
        const int64_t at = header().one_continuation ? 0 : int64_t(pair_.read);
        const int quality = array<uint8_t>(header().continuation_quals)[at] & (kQualities - 1);
        return (T(1) - tables_->probability[quality]) * power_of_two<T>(Range<T>::kStart);
    }

    // Makes the coefficients and the emissions of row k, given its gaps and those of the row below.
    __device__ __forceinline__ void make_row(int k, const Gap &gap, const Gap &below, int letter,
                                             unsigned quality) {
        const bool present = first_row_ + k >= 1;
        const bool last = PART != kUpperStripe && k == R - 1 && lane_ == lanes_ - 1;
        const T xx_next = last ? T(0) : below.xx, gm_next = T(1) - xx_next;
        const T a = scaled_a(gm_next, gap.of.alpha);
        const T c = scaled_c(gm_next, gap.md, below.of.inverse_mm);
        const T kappa = scaled_kappa(xx_next, gap.of.alpha, last ? T(0) : below.of.inverse_alpha);
        // c and xx are 0 in the last row, so that T is what `ends` adds. They are 1 in padding.
        a_[k] = present ? a : T(0);
        c_[k] = present ? (last ? T(0) : c) : T(1);
        xx_[k] = present ? (last ? T(0) : gap.xx) : T(1);
        kappa_[k] = present ? kappa : T(0);
        // NaN marks a read that cannot be scaled, so that its result is not trusted.
        const T mm_next = last ? T(1) : below.of.mm;
        const T scale = gap.of.mm == 0 ? T(bit_cast<double>(int64_t(0x7ff8000000000000))) : mm_next;
        const typename CudaTables<T>::Emission emission =
            tables_->emission[quality & (kQualities - 1)];
        const T match = present ? scale * emission.agree : T(0);
        const T mismatch = present ? scale * emission.differ : T(0);
#pragma unroll
        for (int b = 0; b < kLetters; b++)
            made_[b].value[k % kGroup] = letter == b || letter == kN || b == kN ? match : mismatch;
        if (k % kGroup == 0) {
#pragma unroll
            for (int b = 0; b < kLetters; b++)
                emissions()[(b * kGroups + k / kGroup) * kWarp] = made_[b];
        }
    }

    __device__ __forceinline__ Pack<T> load_emissions(unsigned letter, int group) const {
        const unsigned size = sizeof(Pack<T>) * kWarp;
        return load_shared(emissions_at_ + (letter * kGroups + unsigned(group)) * size,
                           static_cast<const T *>(nullptr));
    }

    // Computes one column. `next` is the letter of the column after it. `seam` is the place of this
    // column's state in an upper stripe, and of the column after the next one in a lower stripe.
    __device__ __forceinline__ void step(const uint8_t *next, bool first, T top,
                                         BoundaryState<T> *seam) {
        const unsigned now = letter_;
        letter_ = load_letter(next);
        T diagonal = diagonal_, insertion = above_insertion_;
        Pack<T> pack = pack_;
#pragma unroll
        for (int k = 0; k < R; k++) {
            if (k > 0 && k % kGroup == 0) pack = load_emissions(now, k / kGroup);
            const T m = pack.value[k % kGroup] * diagonal;
            diagonal = t_[k];
            const T without_insertion = multiply_add(c_[k], d_[k], m);
            d_[k] = multiply_add(xx_[k], d_[k], m);
            t_[k] = multiply_add(a_[k], insertion, without_insertion);
            insertion = multiply_add(kappa_[k], insertion, m);
        }
        pack_ = load_emissions(letter_, 0);
        ends_ = ends_ + t_[R - 1];
        diagonal_ = above_t_;
        if (PART == kLowerStripe) {
            // The last lane passes nothing on, so it brings the first lane what is in the seam.
            const bool last = threadIdx.x == kWarp - 1;
            const int before = int(threadIdx.x + kWarp - 1) % kWarp;
            above_insertion_ =
                __shfl_sync(kAllLanes, last ? next_flow_.insertion : insertion, before);
            above_t_ = __shfl_sync(kAllLanes, last ? next_flow_.t : t_[R - 1], before);
            if (last) next_flow_ = *seam;
        } else {
            above_insertion_ = __shfl_up_sync(kAllLanes, insertion, 1);
            above_t_ = __shfl_up_sync(kAllLanes, t_[R - 1], 1);
        }
        if (PART != kLowerStripe && first) {
            above_insertion_ = 0;
            above_t_ = top;
        }
        if (PART == kUpperStripe && in_use_ && lane_ == lanes_ - 1) *seam = {t_[R - 1], insertion};
    }

    const uint8_t *const chunk_;
    const CudaTables<T> *const tables_;
    const int lanes_;  // of each pair
    LonePair pair_;
    int lane_;  // among those of the pair
    bool in_use_;
    int first_row_;  // the lane's first row, counted from 1; 0 or less above the read
    SharedAddress emissions_at_;
    Pack<T> made_[kLetters];  // emissions of a group of rows

    T a_[R], c_[R], xx_[R], kappa_[R];
    T t_[R], d_[R];               // T of the lane's column, D of the next one
    T diagonal_;                  // T of the row above the lane, in the previous column
    T above_t_;                   // and in the next column
    T above_insertion_;           // insertion that flows into the next column
    BoundaryState<T> next_flow_;  // what flows into the lower stripe in the column after that
    T ends_;
    unsigned letter_;  // of the next column
    Pack<T> pack_;     // emissions of the next column's first rows
};

// Computes a tile in single precision.
template <int R>
__device__ __forceinline__ void compute_lone(const uint8_t *chunk, const CudaTables<float> *tables,
                                             int first_tile, double *results) {
    const LoneHeader &header = *reinterpret_cast<const LoneHeader *>(chunk);
    const LoneTile tile =
        reinterpret_cast<const LoneTile *>(chunk + header.tiles)[first_tile + int(blockIdx.x)];
    LoneLane<float, R> lane(chunk, tables, tile.lanes, tile.pairs,
                            [&](int k) { return int(tile.first) + k; });
    lane.set_up();
    lane.walk(results);
}

// Computes one stripe of a pair in double precision.
template <LonePart PART>
__device__ __forceinline__ void compute_stripe_of(int pair, int lanes, const uint8_t *chunk,
                                                  const CudaTables<double> *tables,
                                                  BoundaryState<double> *seam, double *results) {
    LoneLane<double, kLoneDoubleRows, PART> lane(chunk, tables, lanes, 1,
                                                 [&](int) { return pair; });
    lane.set_up();
    lane.walk(results, seam);
    __syncwarp();
}

// Computes the selected pairs in double precision. The warps of the grid share the tiles; those of
// pairs that take more lanes come sooner.
__device__ __forceinline__ void compute_lone_double(const uint8_t *chunk,
                                                    const CudaTables<double> *tables,
                                                    const LoneSelection *selection, LoneSeam *seams,
                                                    double *results) {
    const uint32_t *const listed = reinterpret_cast<const uint32_t *>(selection + 1);
    int tile = int(blockIdx.x);
    for (int lanes = kLoneDoubleLanes; lanes > 0; lanes--) {
        const int count = selection->count[lanes], pairs = pairs_of_tile(lanes);
        for (; tile * pairs < count; tile += int(gridDim.x)) {
            const int first = tile * pairs, at = selection->first[lanes] + first;
            const auto pair_at = [&](int k) {
                return selection->has_list ? int(listed[at + k]) : at + k;
            };
            if (lanes > kWarp) {
                BoundaryState<double> *const seam = seams[blockIdx.x];
                compute_stripe_of<kUpperStripe>(pair_at(0), lanes - kWarp, chunk, tables, seam,
                                                results);
                compute_stripe_of<kLowerStripe>(pair_at(0), kWarp, chunk, tables, seam, results);
                continue;
            }
            LoneLane<double, kLoneDoubleRows> lane(
                chunk, tables, lanes, count - first < pairs ? count - first : pairs, pair_at);
            lane.set_up();
            lane.walk(results);
            __syncwarp();
        }
        tile -= (count + pairs - 1) / pairs;
    }
}

}  // namespace
}  // namespace gkl_shim::pairhmm

#define GKL_SHIM_PAIRHMM_LONE_KERNEL(name, rows, blocks)                               \
    extern "C" __global__ void __launch_bounds__(32, blocks)                           \
        name(const uint8_t *chunk, const gkl_shim::pairhmm::CudaTables<float> *tables, \
             int first_tile, double *results) {                                        \
        gkl_shim::pairhmm::compute_lone<rows>(chunk, tables, first_tile, results);     \
    }

GKL_SHIM_PAIRHMM_LONE_KERNEL(pairhmm_lone_8, 8, 16)
GKL_SHIM_PAIRHMM_LONE_KERNEL(pairhmm_lone_16, 16, 12)
GKL_SHIM_PAIRHMM_LONE_KERNEL(pairhmm_lone_20, 20, 12)
GKL_SHIM_PAIRHMM_LONE_KERNEL(pairhmm_lone_32, 32, 8)

extern "C" __global__ void __launch_bounds__(32, gkl_shim::pairhmm::kLoneDoubleBlocks)
    pairhmm_lone_double(const uint8_t *chunk, const gkl_shim::pairhmm::CudaTables<double> *tables,
                        const gkl_shim::pairhmm::LoneSelection *selection,
                        gkl_shim::pairhmm::LoneSeam *seams, double *results) {
    gkl_shim::pairhmm::compute_lone_double(chunk, tables, selection, seams, results);
}

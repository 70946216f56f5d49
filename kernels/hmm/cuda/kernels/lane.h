// A lane of a tile: the coefficients of its rows, the recurrence, and the join. kernels.cu says how
// the lanes of a warp work together.
#pragma once

#include "hmm/cuda/kernels/instructions.h"
#include "hmm/cuda/kernels/stripes.h"
#include "hmm/join.h"
#include "hmm/underflow.h"

namespace gkl_shim::pairhmm {
namespace {

enum Direction { kForward = 1, kBackward = -1 };

// A T if WANTED, otherwise empty.
template <bool WANTED, class T>
struct Maybe {
    T value;
};
template <class T>
struct Maybe<false, T> {};

// A lane of a tile. If STRIPED, the tile is one stripe of a read.
template <class T, int R, bool STRIPED = false>
class Lane {
   public:
    __device__ __forceinline__ Lane(const uint8_t *chunk, const CudaTables<T> *tables,
                                    uint8_t *scratch, int tile, bool mirrored = false)
        : chunk_(chunk),
          tables_(tables),
          tile_(array<TileRecord>(header().tiles)[tile]),
          stripes_(STRIPED ? int32_t(stripes_of(
                                 array<ReadRecord>(header().reads)[tile_.first_read].length))
                           : 1),
          lanes_before_(!STRIPED   ? 0
                        : mirrored ? (stripes_ - 1 - tile_.widest) * kWarp
                                   : tile_.widest * kWarp),
          layout_(R, tile_.head_states, tile_.tail_states, stripes_),
          scratch_(scratch + tile_.scratch),
          lane_(threadIdx.x),
          emissions_at_(shared_address(emissions())) {
        const int read = tile_.read_of[lane_];
        read_ = array<ReadRecord>(header().reads)[tile_.first_read + (read == kNoRead ? 0 : read)];
        length_ = read == kNoRead ? 0 : read_.length;
        const int lanes = STRIPED ? stripes_ * kWarp - lanes_before_ : read_.lane + read_.lanes;
        first_row_ = (lane_ - lanes) * R + read_.length + 1;
    }

    __device__ __forceinline__ bool in_use() const { return length_ > 0; }

    // Computes the coefficients of the tile's rows into the scratch, and the emissions into the
    // table. Neighbouring lanes compute neighbouring rows here, even rows that belong to other
    // lanes in the recurrence, so that loads coalesce. Each lane loads several rows at once, so
    // that many loads are in flight.
    __device__ void set_up() {
        T *const table = reinterpret_cast<T *>(emissions() - lane_);
        // A row's packed facts are kept in its slot for the emission of N, which is written last.
        for (int k = 0; k < R; k += kLoaded) {
            unsigned quals[kLoaded], letter[kLoaded];
#pragma unroll
            for (int z = 0; z < kLoaded; z++)
                letter[z] = load_row((k + z) * kWarp + lane_, &quals[z]);
#pragma unroll
            for (int z = 0; z < kLoaded; z++) {
                const unsigned facts = quals[z] | unsigned(tables_->letter[letter[z]]) << 28;
                memcpy(table + emission_of((k + z) * kWarp + lane_, kN), &facts, sizeof facts);
            }
        }
        RowCoefficients<T> *const coefficients = at<RowCoefficients<T>>(0) + lanes_before_ * R;
        T *const kappas = at<T>(layout_.backward_kappas) + lanes_before_ * R;
        unsigned behind = 0;  // the facts of the first row after these
        if constexpr (STRIPED) load_row(kWarp * R, &behind);
        for (int k = R - kMade; k >= 0; k -= kMade) {
            Row row[kMade];
#pragma unroll
            for (int z = kMade - 1; z >= 0; z--) {
                unsigned facts;
                const int index = (k + z) * kWarp + lane_;
                memcpy(&facts, table + emission_of(index, kN), sizeof facts);
                const unsigned next = __shfl_down_sync(kAllLanes, facts, 1);
                row[z] = make_row(index, facts, lane_ == kWarp - 1 ? behind : next);
                behind = __shfl_sync(kAllLanes, facts, 0);
            }
#pragma unroll
            for (int z = 0; z < kMade; z++) {
                const int index = (k + z) * kWarp + lane_;
                coefficients[index] = row[z].coefficients;
                kappas[index] = row[z].backward_kappa;
#pragma unroll
                for (int b = 0; b < kLetters; b++)
                    table[emission_of(index, b)] =
                        row[z].letter == b || row[z].letter == kN || b == kN ? row[z].match
                                                                             : row[z].mismatch;
            }
        }
        if constexpr (STRIPED) {
            // The backward pass also reads the coefficients of the row above. That row's own stripe
            // writes the same values.
            unsigned above;
            load_row(-1, &above);
            if (lanes_before_ > 0 && lane_ == 0)
                coefficients[-1] = make_row(-1, above, behind).coefficients;
        }
    }

    __device__ const RegionRecord &region() const {
        return array<RegionRecord>(header().regions)[tile_.region];
    }

    // Walks one stream of the region.
    template <int STEP>
    __device__ void pass(int stream) {
        const TrieRecord trie = array<TrieRecord>(header().tries)[region().tries + stream];
        states_ = at<RowState<T>>(STEP == kForward ? layout_.head_states : layout_.tail_states);
        load_coefficients<STEP>();
        make_root<STEP>(trie);

        // This lane is `position` columns behind the entry lane. `letter` is the one of its next
        // column.
        const int position = STEP * (lane_ - entry_lane<STEP>());
        const int span = STRIPED ? int(kWarp) : tile_.widest;
        const uint8_t *column = chunk_ + trie.columns - position;
        unsigned event = trie.events;
        Event next = *array<Event>(event), following = *array<Event>(event + sizeof(Event));
        if (!in_use()) next = {kNoEvent, event_of(kNone, -1, kNone)};
        unsigned letter = load_letter(column);
        first_emissions_ = load_emissions(letter, STEP == kForward ? 0 : R / kGroup - 1);
        const auto advance = [&] {
            event += unsigned(sizeof(Event));
            next = following;
            following = *array<Event>(event + sizeof(Event));
            fetch(load_of(next.what));
        };
        for (;;) {
            const unsigned distance = next.at - unsigned(column - chunk_);
            const unsigned ahead = least_of_warp(distance);
            if (ahead >= kNoEvent / 2) break;
            // The usual case: all lanes in use have the same next event, and the entry lane does
            // not reach the one after it before the last lane has reached this one.
            const bool alone =
                !STRIPED &&
                __all_sync(kAllLanes, !in_use() || (distance == ahead + unsigned(position) &&
                                                    following.at - next.at >= unsigned(span)));
            int quiet = int(ahead);
            if constexpr (STRIPED) {
                for (; quiet >= kUnrolled; quiet -= kUnrolled)
                    step_stripe<STEP>(&letter, &column, [] {});
            }
            for (; !STRIPED && quiet >= kUnrolled; quiet -= kUnrolled) {
#pragma unroll
                for (int k = 1; k <= kUnrolled; k++) step<STEP>(&letter, column + k);
                column += kUnrolled;
            }
            wait_for_copies();
            // Each lane reaches the event one column after the lane before it.
            if (alone) {
                const int turn = in_use() ? position : -1;
                for (int k = -quiet; k < span; k++) {
                    if (k == turn) handle<STEP>(next.what);
                    __syncwarp();
                    step<STEP>(&letter, ++column);
                }
                if (in_use()) advance();
                continue;
            }
            const auto handle_events = [&] {
                while (unsigned(column - chunk_) == next.at) {
                    wait_for_copies();
                    handle<STEP>(next.what);
                    advance();
                }
                __syncwarp();
            };
            if constexpr (STRIPED) {
                for (int k = 0; k < kWarp + kUnrolled; k += kUnrolled)
                    step_stripe<STEP>(&letter, &column, handle_events);
            }
            for (int k = -quiet; !STRIPED && k < span; k++) {
                handle_events();
                step<STEP>(&letter, ++column);
            }
        }
    }

    // Joins heads and tails, one lane a pair. Block y of the grid takes every gridDim.y-th group of
    // pairs.
    __device__ void join(double *out) {
        const ReadRecord *reads = array<ReadRecord>(header().reads) + tile_.first_read;
        const RegionRecord &region = this->region();
        const HaplotypeRecord *haplotypes =
            array<HaplotypeRecord>(header().haplotypes) + region.haplotypes;
        const int pairs = tile_.reads * region.haplotype_count;
        for (int pair = int(blockIdx.y) * kWarp + lane_; pair < pairs; pair += gridDim.y * kWarp) {
            const ReadRecord read = reads[pair / region.haplotype_count];
            const int haplotype = pair % region.haplotype_count;
            out[region.out + int64_t(read.row) * region.haplotype_count + haplotype] =
                likelihood(read, haplotypes[haplotype]);
        }
    }

    // The join of a striped read. It has many rows and perhaps few haplotypes, so all lanes load
    // states into shared memory, from which one lane a pair reads them.
    __device__ void join_stripes(double *out) {
        const RegionRecord &region = this->region();
        const HaplotypeRecord *haplotypes =
            array<HaplotypeRecord>(header().haplotypes) + region.haplotypes;
        out += region.out + int64_t(read_.row) * region.haplotype_count;
        for (int pair = int(blockIdx.y) * kWarp; pair < region.haplotype_count;
             pair += gridDim.y * kWarp)
            join_stripes(haplotypes + pair, min(int(kWarp), region.haplotype_count - pair),
                         out + pair);
    }

   private:
    enum { kGroup = Pack<T>::kCount, kLetterStride = R / kGroup * kWarp };
    enum { kStates = StatePack<T>::kCount };

    // The lane where the pass enters the read: its first lane forward, its last backward.
    template <int STEP>
    __device__ __forceinline__ int entry_lane() const {
        if (STRIPED) return STEP == kForward ? 0 : kWarp - 1;
        return STEP == kForward ? read_.lane : read_.lane + read_.lanes - 1;
    }

    enum { kUnrolled = 4 };  // columns that one iteration computes
    // Rows of a lane that are loaded together, and rows whose coefficients are computed together.
    enum { kLoaded = R <= 12 ? R : R / 2, kMade = R <= 8 ? 4 : R / 2 };
    // Packs of head and of tail states that a lane loads at once in the join.
    enum { kAhead = R >= 16 ? 12 : (R >= 8 ? R / 2 + 2 : 4) };

    struct Row {
        RowCoefficients<T> coefficients;
        T backward_kappa, match, mismatch;
        int letter;
    };

    __device__ __forceinline__ const ChunkHeader &header() const {
        return *reinterpret_cast<const ChunkHeader *>(chunk_);
    }
    template <class A>
    __device__ __forceinline__ const A *array(int64_t offset) const {
        return reinterpret_cast<const A *>(chunk_ + offset);
    }
    template <class A>
    __device__ __forceinline__ A *at(int64_t offset) const {
        return reinterpret_cast<A *>(scratch_ + offset);
    }
    // A block's shared memory: the table of emissions, [letter][group of rows][lane], then the
    // prefetched state for the next event. That state is [pack of rows][lane], then one pack for
    // the lane's own numbers.
    enum { kFetched = kLetters * kLetterStride, kFetchedPacks = R / kStates + 1 };
    static_assert((kFetched + kFetchedPacks * kWarp) * sizeof(Pack<T>) == shared_bytes<T>(R),
                  "the host allocates it");
    static __device__ __forceinline__ Pack<T> *emissions() {
        extern __shared__ __align__(16) uint8_t shared_memory[];
        return reinterpret_cast<Pack<T> *>(shared_memory) + threadIdx.x;
    }
    static __device__ __forceinline__ StatePack<T> *fetched() {
        return reinterpret_cast<StatePack<T> *>(emissions() + kFetched);
    }
    static __device__ __forceinline__ T start() {
        constexpr T start = power_of_two<T>(Range<T>::kStart);
        return start;
    }

    static __device__ __forceinline__ T not_a_number() {
        return T(bit_cast<double>(int64_t(0x7ff8000000000000)));
    }

    // The D and the T to the left of a read's first row and above it.
    __device__ __forceinline__ T border(const ReadRecord &read) const {
        const int quality =
            array<uint8_t>(header().continuation_quals)[read.start & header().continuation_mask] &
            (kQualities - 1);
        return (T(1) - tables_->probability[quality]) * start();
    }

    // The index in the table of the emission that a row of the tile has for a letter.
    static __device__ __forceinline__ int emission_of(int row, int letter) {
        const int lane = row / R, k = row % R;
        return ((letter * (R / kGroup) + k / kGroup) * kWarp + lane) * kGroup + k % kGroup;
    }

    // The value of `own` in the lane that holds a row of the tile. A stripe has one read.
    static __device__ __forceinline__ int of_row(int row, int own) {
        return STRIPED ? own : __shfl_sync(kAllLanes, own, row / R);
    }
    // The number of a tile's row within its read, counted from 1.
    __device__ __forceinline__ int number_of(int row) const {
        if (STRIPED) return first_row_ + (row - lane_ * R);
        return of_row(row, first_row_) + row % R;
    }

    // Loads a row of the tile and returns its base's byte. `facts` receives its qualities; the
    // highest bit says whether the row belongs to a read.
    __device__ __forceinline__ uint8_t load_row(int row, unsigned *facts) const {
        const int r = number_of(row);
        const int start = of_row(row, read_.start), length = of_row(row, length_);
        // There is no branch, so that the loads of several rows are in flight at once.
        const bool present = r >= 1 && r <= length;
        const int at = start + (present ? r - 1 : 0);
        const ChunkHeader &h = header();
        const unsigned insertion = array<uint8_t>(h.insertion_quals)[at] & (kQualities - 1);
        const unsigned deletion = array<uint8_t>(h.deletion_quals)[at] & (kQualities - 1);
        const unsigned quality = array<uint8_t>(h.base_quals)[at] & (kQualities - 1);
        const unsigned continuation =
            array<uint8_t>(h.continuation_quals)[at & h.continuation_mask] & (kQualities - 1);
        const uint8_t base = array<uint8_t>(h.bases)[at];
        const unsigned all =
            1u << 31 | continuation << 21 | quality << 14 | insertion << 7 | deletion;
        *facts = all & (0u - unsigned(present));
        return base;
    }

    // Makes the coefficients of a row of the tile, given its own facts and those of the next row.
    // There is no branch here either.
    __device__ __forceinline__ Row make_row(int row, unsigned facts, unsigned next) const {
        const int r = number_of(row);
        const bool present = facts >> 31, last = r == of_row(row, length_);
        typedef typename CudaTables<T>::Gap Gap;
        const int continuation = facts >> 21 & (kQualities - 1);
        const int continuation_next = last ? int(kQualities) : next >> 21 & (kQualities - 1);
        const Gap gap = tables_->gap[facts & (kQualities * kQualities - 1)];
        const Gap gap_below = tables_->gap[next & (kQualities * kQualities - 1)];
        const typename CudaTables<T>::Emission emission =
            tables_->emission[facts >> 14 & (kQualities - 1)];
        const T md = tables_->probability[facts & (kQualities - 1)];
        const T xx = tables_->probability[continuation];
        const T xx_below = tables_->probability[continuation_next & (kQualities - 1)];
        const T backward_kappa =
            tables_->backward_kappa[continuation * (kQualities + 1) + continuation_next];
        const T zero = 0, one = 1;
        const T xx_next = last ? zero : xx_below, gm_next = one - xx_next;
        const T inverse_alpha_next = last ? zero : gap_below.inverse_alpha;
        const T mm_next = last ? one : gap_below.mm;
        // NaN marks a read that cannot be scaled, so that its result is not trusted.
        const T scale = gap.mm == 0 ? not_a_number() : mm_next;
        const T a = scaled_a(gm_next, gap.alpha);
        const T c = scaled_c(gm_next, md, gap_below.inverse_mm);
        const T kappa = scaled_kappa(xx_next, gap.alpha, inverse_alpha_next);
        const T match = scale * emission.agree, mismatch = scale * emission.differ;
        Row out;
        out.coefficients.a = present ? a : zero;
        // c and xx are 0 in the last row, so that T is what `end_sum` adds. They are 1 in the rows
        // above a read, which pass D down.
        out.coefficients.c = present ? (last ? zero : c) : one;
        out.coefficients.xx = present ? (last ? zero : xx) : one;
        out.coefficients.kappa = present ? kappa : zero;
        out.backward_kappa = present && r >= 3 ? backward_kappa : zero;
        out.match = present ? match : zero;
        out.mismatch = present ? mismatch : zero;
        out.letter = present ? int(facts >> 28 & 7) : int(kN);
        return out;
    }

    // Loads the coefficients of the lane's rows. The forward pass has rows 1 to m. The backward
    // pass has row r - 1 in the place of row r: it uses the same a and emissions, c and xx of the
    // row above, and a kappa of its own.
    template <int STEP>
    __device__ __forceinline__ void load_coefficients() {
        const int first = (lanes_before_ + lane_) * R;
        const RowCoefficients<T> *from = at<RowCoefficients<T>>(0) + first;
        if (STEP == kForward) {
#pragma unroll
            for (int k = 0; k < R; k++) {
                const RowCoefficients<T> row = from[k];
                a_[k] = row.a;
                c_[k] = row.c;
                xx_[k] = row.xx;
                kappa_[k] = row.kappa;
            }
        } else {
            const Pack<T> *kappas =
                reinterpret_cast<const Pack<T> *>(at<T>(layout_.backward_kappas) + first);
#pragma unroll
            for (int k = 0; k < R; k++) {
                const bool top = k == 0 && lanes_before_ + lane_ == 0;
                const RowCoefficients<T> above = from[top ? 0 : k - 1];
                a_[k] = from[k].a;
                c_[k] = k == 0 && lanes_before_ + lane_ == read_.lane ? T(1) : above.c;
                xx_[k] = k == 0 && lanes_before_ + lane_ == read_.lane ? T(1) : above.xx;
                kappa_[k] = kappas[k / kGroup].value[k % kGroup];
            }
        }
    }

    // Sets what flows into the read from outside and the state before the first column, and saves
    // that state after all others. Forward, the state holds what is above the read's first row;
    // backward, what comes from insertions.
    template <int STEP>
    __device__ __forceinline__ void make_root(const TrieRecord &trie) {
        is_entry_lane_ = lane_ == entry_lane<STEP>();
        top_t_ = above_t_ = STEP == kForward ? border(read_) : start();
        top_insertion_ = above_insertion_ = STEP == kForward ? T(0) : start();
        end_sum_ = 0;
        if constexpr (STRIPED) open_seams<STEP>(trie);
        if (STEP == kForward) {
            // In a stripe several lanes may lie above the read.
            diagonal_t_ = (STRIPED ? first_row_ <= 1 : is_entry_lane_) ? top_t_ : T(0);
#pragma unroll
            for (int k = 0; k < R; k++) t_[k] = d_[k] = first_row_ + k < 1 ? top_t_ : T(0);
        } else {
            // The insertion passes from row to row, then from lane to lane.
            T insertion = top_insertion_;
            diagonal_t_ = top_t_;
            const int span = STRIPED ? int(kWarp) : tile_.widest;
            if constexpr (STRIPED) {
                const BoundaryState<T> flow = seams().receive_root({diagonal_t_, insertion});
                diagonal_t_ = flow.t;
                insertion = flow.insertion;
            }
            for (int k = 0; k < span; k++) {
                T inflow = insertion;
#pragma unroll
                for (int row = R - 1; row >= 0; row--) {
                    t_[row] = a_[row] * inflow;
                    d_[row] = 0;
                    inflow = kappa_[row] * inflow;
                }
                if constexpr (STRIPED)
                    if (k == span - 1) seams().send_root({t_[0], inflow});
                const T above = from_neighbour<STEP>(t_[0]);
                inflow = from_neighbour<STEP>(inflow);
                if (!is_entry_lane_ && k < span - 1) {
                    diagonal_t_ = above;
                    insertion = inflow;
                }
            }
        }
        fetched_id_ = STEP == kForward ? tile_.head_states : tile_.tail_states;
        save_state(fetched_id_);
#pragma unroll
        for (int k = 0; k < R; k += kStates) fetched()[k / kStates * kWarp] = pack_of(k);
        fetched()[R / kStates * kWarp].row[0] = {diagonal_t_, end_sum_};
    }

    template <int STEP>
    __device__ __forceinline__ void open_seams(const TrieRecord &trie) {
        const RegionRecord &region = this->region();
        const int stripe = lanes_before_ / kWarp;
        const auto seam_of = [&](int stripe) {
            return reinterpret_cast<BoundaryState<T> *>(scratch_ - tile_.scratch + region.seams) +
                   int64_t(tile_.reads + stripe) * region.seam_columns + trie.seam;
        };
        const int first = STEP == kForward ? 0 : stripes_ - 1, last = stripes_ - 1 - first;
        seams().open(stripe == first ? nullptr : seam_of(stripe - STEP),
                     stripe == last ? nullptr : seam_of(stripe), trie.length,
                     shared_address(fetched() - threadIdx.x + kFetchedPacks * kWarp),
                     lane_ == kWarp - 1 - entry_lane<STEP>(), {top_t_, top_insertion_});
    }

    __device__ __forceinline__ Seams &seams() { return seams_.value; }

    // Computes four columns of a stripe. Calls `prepare` before each.
    template <int STEP, class Prepare>
    __device__ __forceinline__ void step_stripe(unsigned *letter, const uint8_t **column,
                                                Prepare prepare) {
        seams().begin_columns();
        BoundaryState<T> above = seams().receive(0);
#pragma unroll
        for (int k = 0; k < kUnrolled; k++) {
            prepare();
            above_t_ = is_entry_lane_ ? above.t : above_t_;
            above_insertion_ = is_entry_lane_ ? above.insertion : above_insertion_;
            if (k + 1 < kUnrolled) above = seams().receive(k + 1);
            step<STEP>(letter, ++*column);
            seams().send(k, {t_[STEP == kForward ? R - 1 : 0], insertion_out_});
        }
        seams().end_columns();
    }

    template <int STEP>
    static __device__ __forceinline__ T from_neighbour(T x) {
        return STEP == kForward ? __shfl_up_sync(kAllLanes, x, 1)
                                : __shfl_down_sync(kAllLanes, x, 1);
    }

    __device__ __forceinline__ Pack<T> load_emissions(unsigned letter, int group) const {
        const unsigned size = sizeof(Pack<T>);
        return load_shared(emissions_at_ + letter * (kLetterStride * size) + group * kWarp * size,
                           static_cast<const T *>(nullptr));
    }

    // Computes one column in every lane. *letter is the letter of that column; it is replaced by
    // the next column's.
    template <int STEP>
    __device__ __forceinline__ void step(unsigned *letter, const uint8_t *next) {
        const unsigned now = *letter;
        *letter = load_letter(next);
        T diagonal = diagonal_t_, insertion = above_insertion_;
        Pack<T> pack = first_emissions_;
#pragma unroll
        for (int z = 0; z < R; z++) {
            const int k = STEP == kForward ? z : R - 1 - z;
            if (z > 0 && z % kGroup == 0) pack = load_emissions(now, k / kGroup);
            const T m = pack.value[k % kGroup] * diagonal;
            diagonal = t_[k];
            const T without_insertion = multiply_add(c_[k], d_[k], m);
            d_[k] = multiply_add(xx_[k], d_[k], m);
            t_[k] = multiply_add(a_[k], insertion, without_insertion);
            insertion = multiply_add(kappa_[k], insertion, m);
        }
        first_emissions_ = load_emissions(*letter, STEP == kForward ? 0 : R / kGroup - 1);
        const T last_t = t_[STEP == kForward ? R - 1 : 0];
        if (STEP == kForward) end_sum_ = end_sum_ + last_t;
        if constexpr (STRIPED) insertion_out_ = insertion;
        diagonal_t_ = above_t_;
        above_insertion_ = from_neighbour<STEP>(insertion);
        above_t_ = from_neighbour<STEP>(last_t);
        if (!STRIPED && is_entry_lane_) {
            above_insertion_ = top_insertion_;
            above_t_ = top_t_;
        }
    }

    // Prefetches the state that the next event restores into shared memory.
    __device__ __forceinline__ void fetch(int32_t load) {
        if (load == kNone || load == fetched_id_) return;
        fetched_id_ = load;
        const StatePack<T> *from = state(load);
#pragma unroll
        for (int k = 0; k < R / kStates; k++) copy_async(fetched() + k * kWarp, from + k);
        copy_async(reinterpret_cast<RowState<T> *>(fetched() + R / kStates * kWarp),
                   states_ + lane_state(load));
    }

    template <int STEP>
    __device__ __forceinline__ void handle(uint32_t what) {
        const int32_t store = store_of(what);
        if (store >= 0) {
            if (STEP == kBackward && letter_of(what) >= 0)
                save_tail(store, letter_of(what));
            else
                save_state(store);
        }
        if (load_of(what) == kNone) return;
#pragma unroll
        for (int k = 0; k < R; k += kStates) {
            const StatePack<T> pack = fetched()[k / kStates * kWarp];
#pragma unroll
            for (int z = 0; z < kStates; z++) {
                t_[k + z] = pack.row[z].t;
                d_[k + z] = pack.row[z].d;
            }
        }
        const RowState<T> own = fetched()[R / kStates * kWarp].row[0];
        diagonal_t_ = own.t;
        end_sum_ = own.d;
    }

    __device__ __forceinline__ void save_state(int32_t id) const {
        StatePack<T> *to = state(id);
#pragma unroll
        for (int k = 0; k < R; k += kStates) to[k / kStates] = pack_of(k);
        states_[lane_state(id)] = {diagonal_t_, end_sum_};
    }

    __device__ __forceinline__ StatePack<T> pack_of(int first) const {
        StatePack<T> pack;
#pragma unroll
        for (int z = 0; z < kStates; z++) pack.row[z] = {t_[first + z], d_[first + z]};
        return pack;
    }

    // Saves the end of a tail. Its last column is not computed, because the join needs only T' and
    // c D' of it, and these need no insertion.
    __device__ __forceinline__ void save_tail(int32_t id, int letter) const {
        StatePack<T> *to = state(id);
#pragma unroll
        for (int group = 0; group < R / kGroup; group++) {
            const Pack<T> emission = emissions()[letter * kLetterStride + group * kWarp];
#pragma unroll
            for (int k = group * kGroup; k < (group + 1) * kGroup; k += kStates) {
                StatePack<T> pack;
#pragma unroll
                for (int z = 0; z < kStates; z++) {
                    const int row = k + z;
                    const T above = row == R - 1 ? diagonal_t_ : t_[row == R - 1 ? row : row + 1];
                    pack.row[z] = {emission.value[row % kGroup] * above, c_[row] * d_[row]};
                }
                to[k / kStates] = pack;
            }
            // One group at a time; otherwise the compiler would take registers for all of them from
            // the recurrence.
            compiler_barrier();
        }
    }

    // The place of this lane's part of a saved state.
    __device__ __forceinline__ StatePack<T> *state(int32_t id) const {
        return reinterpret_cast<StatePack<T> *>(states_ + id * layout_.state_size +
                                                (lanes_before_ + lane_) * R);
    }
    __device__ __forceinline__ int64_t lane_state(int32_t id) const {
        return id * layout_.state_size + layout_.rows + lanes_before_ + lane_;
    }

    __device__ __forceinline__ double likelihood(const ReadRecord &read,
                                                 const HaplotypeRecord &haplotype) const {
        const int first = read.lane * R, rows = read.lanes * R;
        const int top = rows - read.length;  // the row of the tails that is row 0 of the read
        const RowState<T> *heads =
            at<RowState<T>>(layout_.head_states) + haplotype.head * layout_.state_size;
        const T ends = heads[layout_.rows + read.lane + read.lanes - 1].d;
        JoinTotal<T> total = {0, 0};
        if (haplotype.tail == kNone) return log10_result(ends, total, haplotype.length);
        const RowState<T> *tails =
            at<RowState<T>>(layout_.tail_states) + haplotype.tail * layout_.state_size;
        const StatePack<T> *head = reinterpret_cast<const StatePack<T> *>(heads + first);
        const StatePack<T> *tail = reinterpret_cast<const StatePack<T> *>(tails + first);
        const T border = this->border(read);
        // Row k of the tail meets row k - 1 of the head. A load from the scratch takes long, so
        // many packs are loaded at once.
        int k = rows / kStates - 1;
        StatePack<T> front = head[k];
        for (int left = k - top / kStates; left > 0; left -= kAhead, k -= kAhead) {
            StatePack<T> back[kAhead], above[kAhead];
#pragma unroll
            for (int z = 0; z < kAhead; z++)
                if (z < left) {
                    back[z] = tail[k - z];
                    above[z] = head[k - z - 1];
                }
#pragma unroll
            for (int z = 0; z < kAhead; z++)
                if (z < left) {
#pragma unroll
                    for (int row = kStates - 1; row > 0; row--)
                        join(front.row[row - 1], back[z].row[row], &total);
                    join(above[z].row[kStates - 1], back[z].row[0], &total);
                    front = above[z];
                }
        }
        k = top / kStates;
        const StatePack<T> back = tail[k];
#pragma unroll
        for (int z = kStates - 1; z >= 0; z--) {
            if (k * kStates + z > top) join(front.row[z > 0 ? z - 1 : 0], back.row[z], &total);
            if (k * kStates + z == top) join({border, border}, back.row[z], &total);
        }
        return log10_result(ends, total, haplotype.length);
    }

    static __device__ __forceinline__ void join(const RowState<T> &head, const RowState<T> &tail,
                                                JoinTotal<T> *total) {
        constexpr T scale = power_of_two<T>(Range<T>::kLow);
        add_row(head, tail, {tail.t * scale, tail.d * scale}, total);
    }

    // The states that one row of a pair multiplies: the head's and the tail's.
    struct StatePair {
        RowState<T> front, back;
    };

    __device__ __forceinline__ void join_stripes(const HaplotypeRecord *haplotypes, int pairs,
                                                 double *out) {
        enum { kStatePairs = 8 };  // loaded by each lane at a time
        static_assert(R >= kStatePairs, "they take the place of the emissions");
        int log_rows = 3;  // the rows of each pair at a time are 1 << log_rows
        while (kStatePairs * kWarp >> (log_rows + 1) >= pairs) log_rows++;
        const int rows = 1 << log_rows, top = int(layout_.rows) - length_;
        const HaplotypeRecord own = haplotypes[min(lane_, pairs - 1)];
        const RowState<T> *heads = at<RowState<T>>(layout_.head_states);
        const RowState<T> *tails = at<RowState<T>>(layout_.tail_states);
        const T border = this->border(read_);
        StatePair loaded[kStatePairs];
        const auto load = [&](int bottom) {
#pragma unroll
            for (int k = 0; k < kStatePairs; k++) {
                const int index = k * kWarp + lane_, pair = index >> log_rows;
                const int row = bottom - (index & (rows - 1));
                const int head = __shfl_sync(kAllLanes, own.head, pair);
                const int tail = __shfl_sync(kAllLanes, own.tail, pair);
                loaded[k] = {{border, border}, {0, 0}};
                if (row < top || pair >= pairs || tail == kNone) continue;
                loaded[k].back = tails[tail * layout_.state_size + row];
                // Row k of the tail meets row k - 1 of the head.
                if (row > top) loaded[k].front = heads[head * layout_.state_size + row - 1];
            }
        };
        StatePair *const table = reinterpret_cast<StatePair *>(emissions() - threadIdx.x);
        JoinTotal<T> total = {0, 0};
        int bottom = int(layout_.rows) - 1;
        load(bottom);
        for (; bottom >= top; bottom -= rows) {
            __syncwarp();
#pragma unroll
            for (int k = 0; k < kStatePairs; k++) {
                const int index = k * kWarp + lane_;
                table[index + (index >> log_rows)] = loaded[k];
            }
            __syncwarp();
            load(bottom - rows);
            const StatePair *row = table + min(lane_, pairs - 1) * (rows + 1);
            int left = min(rows, bottom - top + 1);
            for (; left >= 4; left -= 4, row += 4) {
                const StatePair four[4] = {row[0], row[1], row[2], row[3]};
#pragma unroll
                for (int k = 0; k < 4; k++) join(four[k].front, four[k].back, &total);
            }
            for (; left > 0; left--, row++) join(row->front, row->back, &total);
        }
        const T ends = heads[(own.head + 1) * layout_.state_size - 1].d;
        if (lane_ < pairs) out[lane_] = log10_result(ends, total, own.length);
        __syncwarp();
    }

    static __device__ __forceinline__ double log10_result(T ends, const JoinTotal<T> &total,
                                                          int length) {
        return joined_likelihood<T, double, int64_t>(ends, total.high, total.low, length);
    }

    const uint8_t *const chunk_;
    const CudaTables<T> *const tables_;
    const TileRecord &tile_;
    const int32_t stripes_,
        lanes_before_;  // stripes of the read; lanes of the read in the stripes above this one
    const TileScratch<T> layout_;
    uint8_t *const scratch_;
    const int lane_;
    const SharedAddress emissions_at_;  // shared-memory address of this lane's emissions
    ReadRecord read_;                   // the read of this lane
    int length_;                        // of the read; 0 in an unused lane
    int first_row_;  // the lane's first row in its read, counted from 1; 0 or less above the read

    bool is_entry_lane_;  // the pass enters the read here
    T a_[R], c_[R], xx_[R], kappa_[R];
    T t_[R], d_[R];  // t_ is the state after the lane's column; d_ is the one for the next column
    T diagonal_t_;   // t of the row before the lane's first, in the previous column
    T above_t_;      // t of the same row, in the next column
    T above_insertion_;  // insertion that flows into the next column
    T end_sum_;
    T top_t_, top_insertion_;
    Pack<T> first_emissions_;  // emissions of the next column's first group of rows
    RowState<T> *states_;
    int32_t fetched_id_;  // number of the state that is in shared memory
    T insertion_out_;     // insertion that leaves the last column of a stripe
    Maybe<STRIPED, Seams> seams_;
};

}  // namespace
}  // namespace gkl_shim::pairhmm

// The CUDA engine's kernels. The 128 threads of a block share nothing and never synchronize. The
// threads of a warp stay together while their pairs have equal lengths and bands.
//
// Sequences are bit planes in device memory, as described in model.h, and start at any bit. A
// thread streams them in blocks of 32 columns: it loads 32 columns of the segment, and the words of
// the read that the band passes over in these columns. So a kernel handles any length, and within a
// block of columns all shifts are constants.
//
// exact(), exact_words() and exact_blocks() are launched in this order. Each leaves pairs whose
// bands are too wide for it to the next one. The integer pipe bounds every kernel. Figures below of
// how busy the pipe and the memory are come from Nsight Compute on an H200.
//
// Buffers have kPadding extra words at both ends. A band reaches beyond its read, where what it
// reads has no influence.
#include "prefilter/cuda/work.h"
#include "prefilter/model.h"

namespace gkl_shim {
namespace prefilter {

struct Pair {
    int64_t read, segment;  // their first bases
    int32_t m, n;
};

// Finds a pair's sequences. Returns false for a candidate that is out of range.
GKL_SHIM_DEVICE bool find(const Work &work, int64_t k, Pair &pair) {
    if (!work.read_numbers) {
        pair.read = work.reads.start(k);
        pair.segment = work.segments.start(k);
        pair.m = work.reads.size(k);
        pair.n = work.segments.size(k);
        return true;
    }
    int32_t read = work.read_numbers[k];
    const int32_t contig = work.contigs ? work.contigs[k] : 0;
    const int64_t position = work.wide ? static_cast<const int64_t *>(work.positions)[k]
                                       : static_cast<const int32_t *>(work.positions)[k];
    bool found = read >= 0 && read < work.read_count && contig >= 0 && contig < work.contig_count;
    if (found) {
        if (work.reverse && work.reverse[k]) read += work.strand;
        const int64_t begin = work.segments.start(contig);
        const int64_t size = work.segments.size(contig);
        pair.read = work.reads.start(read);
        pair.m = work.reads.size(read);
        const int64_t from = position > work.before ? position - work.before : 0;
        const int64_t wanted = position + pair.m + work.after;
        const int64_t to = wanted < size ? wanted : size;
        pair.segment = begin + from;
        pair.n = int32_t(to - from);
        found = position >= 0 && position < size && (work.clipped || to == wanted);
    }
    if (!found) atomicMin(work.fault, static_cast<unsigned long long>(k));
    return found;
}

// The 32 bits of two words that start at bit `shift` of the first.
GKL_SHIM_DEVICE uint32_t funnel(uint32_t first, uint32_t second, int32_t shift) {
#if defined(__CUDACC_RTC__)
    return __funnelshift_r(first, second, shift);
#else
    return shift & 31 ? first >> (shift & 31) | second << (32 - (shift & 31)) : first;
#endif
}

// Bit `at` of a word, copied to all bits. The left shift is the same for four of a word's bits.
GKL_SHIM_DEVICE uint32_t spread(uint32_t word, int32_t at) {
#if defined(__CUDACC_RTC__)
    uint32_t result;
    asm("prmt.b32 %0, %1, 0, %2;"
        : "=r"(result)
        : "r"(word << (7 - (at & 7))), "r"(0x8888u + 0x1111u * (at >> 3)));
    return result;
#else
    return word >> at & 1 ? ~0u : 0u;
#endif
}

// 32 bits of a plane, starting at any bit.
GKL_SHIM_DEVICE uint32_t bits32(const uint32_t *plane, int64_t at) {
    const uint32_t *word = plane + (at >> 5);
    return funnel(word[0], word[1], int32_t(at & 31));
}

GKL_SHIM_DEVICE bool any_bit(const uint32_t *plane, int64_t at, int32_t count) {
    uint32_t any = 0;
    for (int32_t k = 0; k < count; k += 32) {
        const uint32_t bits = bits32(plane, at + k);
        any |= count - k < 32 ? bits & ((1u << (count - k)) - 1) : bits;
    }
    return any != 0;
}

GKL_SHIM_DEVICE bool undefined(const Work &work, const Pair &pair) {
    return (work.read_planes.some_undefined() &&
            any_bit(work.read_planes.undefined, pair.read, pair.m)) ||
           (work.segment_planes.some_undefined() &&
            any_bit(work.segment_planes.undefined, pair.segment, pair.n));
}

// The words of a plane that a band of type V passes over in 32 columns: the bits of V and 32 more.
template <class V>
struct Passed {
    static constexpr int32_t kWords = sizeof(V) / sizeof(uint32_t);
    uint32_t word[kWords + 1];
    GKL_SHIM_METHOD void load(const uint32_t *plane, int64_t at) {
        const uint32_t *from = plane + (at >> 5);
        const int32_t shift = int32_t(at & 31);
        const uint32_t x = from[0], y = from[1], z = from[2];
        word[0] = funnel(x, y, shift);
        word[1] = funnel(y, z, shift);
        if (kWords == 2) word[kWords] = funnel(z, from[3], shift);
    }
    GKL_SHIM_METHOD V window(int32_t column) const {
        const V bits = funnel(word[0], word[1], column);
        if (kWords == 1) return bits;
        return V(bits | uint64_t(funnel(word[1], word[kWords], column)) << 32);
    }
};

GKL_SHIM_DEVICE void widen(uint32_t word, uint32_t &wide) { wide = word; }
GKL_SHIM_DEVICE void widen(uint32_t word, uint64_t &wide) { wide = word | uint64_t(word) << 32; }

// The rows of a word that exist, given the row of its first bit.
template <class V>
GKL_SHIM_DEVICE V existing(int32_t first) {
    const int32_t missing = -first;
    return missing <= 0 ? V(~V(0)) : missing >= int32_t(8 * sizeof(V)) ? V(0) : V(~V(0) << missing);
}

// A pair whose band fits one V.
template <class V, int MODE>
struct Exact {
    const Work &work;
    const Pair &pair;
    const Band band;
    V vp, vn;
    Passed<V> low, high;
    uint32_t text_low, text_high;

    GKL_SHIM_METHOD Exact(const Work &w, const Pair &p, const Band &b)
        : work(w), pair(p), band(b), vp(existing<V>(-b.above)), vn(0) {}

    GKL_SHIM_METHOD void load(int32_t column) {
        const int64_t read = pair.read + column - band.above, segment = pair.segment + column;
        low.load(work.read_planes.low, read);
        high.load(work.read_planes.high, read);
        text_low = bits32(work.segment_planes.low, segment);
        text_high = bits32(work.segment_planes.high, segment);
    }

    // Computes the column `at` of the loaded ones. `rows` are the band's rows that exist there.
    template <bool TOP>
    GKL_SHIM_METHOD Column<V> step(int32_t at, V rows) {
        V one, other;
        widen(spread(text_low, at), one);
        widen(spread(text_high, at), other);
        V match = ~((low.window(at) ^ one) | (high.window(at) ^ other));
        if (TOP) match = MODE == kInfix ? V(match | ~rows) : V(match & rows);
        return advance(match, vp, vn);
    }

    // Computes 32 columns. Returns how often the distance did not grow along the diagonal of bit
    // `followed`.
    template <bool TOP>
    GKL_SHIM_METHOD int32_t block(int32_t column, int32_t followed) {
        load(column);
        uint32_t same = 0;  // a bit for each column
        const V rows = existing<V>(column - band.above);
#pragma unroll
        for (int32_t at = 0; at < 32; at++) {
            // Existing rows move up. Rows that enter at the bottom exist.
            const V moved = at ? V(rows >> at | ~V(0) << (8 * sizeof(V) - at)) : rows;
            same = funnel(same, uint32_t(step<TOP>(at, moved).d0 >> followed), 1);
        }
        return count_ones(same);
    }

    GKL_SHIM_METHOD int32_t distance(int32_t max_edits) {
        const int32_t m = pair.m, n = pair.n;
        // As in the CPU engine: the diagonal that ends in the corner, or the lowest one followed by
        // the last row.
        const int32_t followed = MODE == kGlobal ? band.above - (n - m) : band.above + band.below;
        const int32_t along = MODE == kGlobal ? n : m - band.below;
        int32_t edits = MODE == kGlobal ? most(m - n, 0) : band.below;
        const int32_t head = along % 32;
        if (head) {
            load(0);
#pragma unroll
            for (int32_t at = 0; at < 31; at++) {
                if (at >= head) break;
                edits +=
                    1 - int32_t(step<true>(at, existing<V>(at - band.above)).d0 >> followed & 1);
            }
        }
        int32_t column = head;
        for (; column < along && column < band.above; column += 32)
            edits += 32 - block<true>(column, followed);
        for (; column < along; column += 32) {
            // The distance never decreases along a diagonal.
            if (MODE == kGlobal && edits > max_edits) return edits;
            edits += 32 - block<false>(column, followed);
        }
        if (MODE == kGlobal) return edits;
        int32_t best = edits;
        const int32_t end = least(n, m + band.above);
        for (int32_t first = column; column < end; column++) {
            const int32_t at = (column - first) % 32;
            if (at == 0) load(column);
            const Column<V> done = step<true>(at, existing<V>(column - band.above));
            const int32_t row = m - 1 - column + band.above;
            edits += int32_t(done.hp >> row & 1) - int32_t(done.hn >> row & 1);
            best = least(best, edits);
        }
        return best;
    }
};

GKL_SHIM_DEVICE int16_t result_of(int32_t edits, int32_t max_edits) {
    return int16_t(edits <= max_edits ? edits : int32_t(kAbove));
}

// Bands of up to one word V, of 32 or 64 bits. A thread computes one pair, with all state in
// registers; a block computes 128 neighbouring pairs, and a warp 32 of them. The integer pipe is
// busy for 93% of the cycles, the memory for less than 10% of the time.
template <class V, int MODE>
__global__ void __launch_bounds__(kThreads) exact(const Work work, int32_t max_edits) {
    const int64_t k = int64_t(blockIdx.x) * kThreads + threadIdx.x;
    Pair pair;
    if (k >= work.count || !find(work, k, pair)) return;
    const Band band = band_of(MODE, pair.m, pair.n, max_edits);
    int32_t result = kAbove;
    if (undefined(work, pair))
        result = kUndefined;
    else if (band.possible && band.width() <= int32_t(8 * sizeof(V)))
        result = result_of(Exact<V, MODE>(work, pair, band).distance(max_edits), max_edits);
    else if (band.possible)
        result = kTooWide;
    work.results[k] = int16_t(result);
}

// 32 bits of a plane, starting at bit `at`. Bits outside the buffer are zero.
GKL_SHIM_DEVICE uint32_t bits_within(const uint32_t *plane, int64_t words, int64_t at) {
    const int64_t word = at >> 5;
    const uint32_t first = word >= 0 && word < words ? plane[word] : 0;
    const uint32_t second = word >= -1 && word + 1 < words ? plane[word + 1] : 0;
    return funnel(first, second, int32_t(at & 31));
}

// A pair whose band fits WORDS words.
template <int WORDS, int MODE>
struct ExactWords {
    const Planes reads, segments;
    const Pair pair;
    const Band band;
    uint32_t vp[WORDS], vn[WORDS], d0[WORDS + 1];
    uint32_t low[WORDS + 1], high[WORDS + 1];  // what the band passes over in 32 columns
    uint32_t text_low, text_high;

    GKL_SHIM_METHOD ExactWords(const Work &work, const Pair &p, const Band &b)
        : reads(work.read_planes), segments(work.segment_planes), pair(p), band(b) {
#pragma unroll
        for (int32_t w = 0; w < WORDS; w++) {
            vp[w] = existing<uint32_t>(32 * w - band.above);
            vn[w] = 0;
        }
        d0[WORDS] = 0;
    }

    GKL_SHIM_METHOD void load(int32_t column) {
#pragma unroll
        for (int32_t w = 0; w <= WORDS; w++) {
            const int64_t at = pair.read + column - band.above + 32 * w;
            low[w] = bits_within(reads.low, reads.words, at);
            high[w] = bits_within(reads.high, reads.words, at);
        }
        text_low = bits32(segments.low, pair.segment + column);
        text_high = bits32(segments.high, pair.segment + column);
    }

    // Computes d0 of a column.
    GKL_SHIM_METHOD void zeros(int32_t column) {
        const int32_t at = column & 31;
        if (at == 0) load(column);
        const uint32_t one = 0u - (text_low >> at & 1), other = 0u - (text_high >> at & 1);
        uint32_t carry = 0;
#pragma unroll
        for (int32_t w = 0; w < WORDS; w++) {
            uint32_t match = ~((funnel(low[w], low[w + 1], at) ^ one) |
                               (funnel(high[w], high[w + 1], at) ^ other));
            if (column < band.above) {
                const uint32_t rows = existing<uint32_t>(column - band.above + 32 * w);
                match = MODE == kInfix ? match | ~rows : match & rows;
            }
            const uint64_t sum = uint64_t(match & vp[w]) + vp[w] + carry;
            carry = uint32_t(sum >> 32);
            d0[w] = diagonal_zeros(uint32_t(sum), match, vp[w], vn[w]);
        }
    }

    // The bit of a row within word w, 0 if the row is in another word. Indexing by an unknown w
    // would put the words in memory.
    GKL_SHIM_METHOD static uint32_t bit_of(int32_t row, int32_t w) {
        return row >> 5 == w ? 1u << (row & 31) : 0;
    }

    // Advances to the next column. Returns the differences of the current one.
    GKL_SHIM_METHOD Column<uint32_t> next(int32_t w) {
        return advance(d0[w], funnel(d0[w], d0[w + 1], 1), vp[w], vn[w]);
    }

    GKL_SHIM_METHOD int32_t distance(int32_t max_edits) {
        const int32_t m = pair.m, n = pair.n;
        // As in Exact::distance().
        const int32_t followed = MODE == kGlobal ? band.above - (n - m) : band.above + band.below;
        const int32_t along = MODE == kGlobal ? n : m - band.below;
        int32_t edits = MODE == kGlobal ? most(m - n, 0) : band.below;
        int32_t column = 0;
        for (; column < along; column++) {
            if (MODE == kGlobal && edits > max_edits) return edits;
            zeros(column);
            uint32_t zero = 0;
#pragma unroll
            for (int32_t w = 0; w < WORDS; w++) {
                zero |= d0[w] & bit_of(followed, w);
                next(w);
            }
            edits += zero == 0;
        }
        if (MODE == kGlobal) return edits;
        int32_t best = edits;
        for (const int32_t end = least(n, m + band.above); column < end; column++) {
            zeros(column);
            const int32_t row = m - 1 - column + band.above;
            uint32_t more = 0, less = 0;
#pragma unroll
            for (int32_t w = 0; w < WORDS; w++) {
                const Column<uint32_t> done = next(w);
                more |= done.hp & bit_of(row, w);
                less |= done.hn & bit_of(row, w);
            }
            edits += int32_t(more != 0) - int32_t(less != 0);
            best = least(best, edits);
        }
        return best;
    }
};

// Bands of up to WORDS words of 32 bits. A thread computes one pair, with all state in registers,
// or does nothing if the pair is done already or has a wider band. The threads of a warp that do
// nothing wait for the others. The integer pipe is busy for 95% of the cycles, the memory for less
// than 10% of the time.
template <int WORDS, int MODE>
__global__ void __launch_bounds__(kThreads) exact_words(const Work work, int32_t max_edits) {
    const int64_t k = int64_t(blockIdx.x) * kThreads + threadIdx.x;
    if (k >= work.count || work.results[k] != kTooWide) return;
    Pair pair;
    if (!find(work, k, pair)) return;
    const Band band = band_of(MODE, pair.m, pair.n, max_edits);
    if (band.width() <= 32 * WORDS)
        work.results[k] =
            result_of(ExactWords<WORDS, MODE>(work, pair, band).distance(max_edits), max_edits);
}

// Bands of any width. In global mode no band is that wide. A thread computes several pairs, one
// after another, and skips those that are done. Its state is 2 * `words` words in device memory,
// interleaved with those of its neighbours, so that a warp loads neighbouring words. The integer
// pipe is busy for 79% of the cycles, the memory for less than 10% of the time.
template <int MODE>
__global__ void __launch_bounds__(kThreads)
    exact_blocks(const Work work, int32_t max_edits, uint32_t *state) {
    const int64_t threads = int64_t(gridDim.x) * kThreads;
    const int64_t thread = int64_t(blockIdx.x) * kThreads + threadIdx.x;
    for (int64_t k = thread; k < work.count; k += threads) {
        if (work.results[k] != kTooWide) continue;
        Pair pair;
        if (!find(work, k, pair)) continue;
        const int32_t m = pair.m, n = pair.n;
        const Band band = band_of(MODE, m, n, max_edits);
        const int32_t words = (band.width() + 31) / 32;
        uint32_t *const vp = state + thread, *const vn = vp + words * threads;
        for (int32_t w = 0; w < words; w++) {
            vp[w * threads] = existing<uint32_t>(32 * w - band.above);
            vn[w * threads] = 0;
        }
        const int32_t followed = band.above + band.below, along = m - band.below;
        int32_t edits = band.below, best = edits;
        const int32_t end = least(n, m + band.above);
        for (int32_t column = 0; column < end; column++) {
            const int64_t at = pair.segment + column;
            const uint32_t one = 0u - (work.segment_planes.low[at >> 5] >> (at & 31) & 1);
            const uint32_t other = 0u - (work.segment_planes.high[at >> 5] >> (at & 31) & 1);
            const int32_t row = column < along ? followed : m - 1 - column + band.above;
            Column<uint32_t> seen = {0, 0, 0};
            uint32_t carry = 0, d0_before = 0;
            // A word's new state needs d0 of the next word, so the update is one word behind.
            for (int32_t w = 0; w <= words; w++) {
                uint32_t d0 = 0;
                if (w < words) {
                    const int64_t from = pair.read + column - band.above + 32 * w;
                    const Planes &planes = work.read_planes;
                    uint32_t match = ~((bits_within(planes.low, planes.words, from) ^ one) |
                                       (bits_within(planes.high, planes.words, from) ^ other));
                    const uint32_t rows = existing<uint32_t>(column - band.above + 32 * w);
                    match = MODE == kInfix ? match | ~rows : match & rows;
                    const uint32_t p = vp[w * threads];
                    const uint64_t sum = uint64_t(match & p) + p + carry;
                    carry = uint32_t(sum >> 32);
                    d0 = diagonal_zeros(uint32_t(sum), match, p, vn[w * threads]);
                }
                if (w) {
                    const int64_t own = (w - 1) * threads;
                    const Column<uint32_t> done =
                        advance(d0_before, d0_before >> 1 | d0 << 31, vp[own], vn[own]);
                    if (row >> 5 == w - 1) seen = done;
                }
                d0_before = d0;
            }
            if (column < along) {
                edits += 1 - int32_t(seen.d0 >> (row & 31) & 1);
                best = edits;
            } else {
                edits += int32_t(seen.hp >> (row & 31) & 1) - int32_t(seen.hn >> (row & 31) & 1);
                best = least(best, edits);
            }
        }
        work.results[k] = result_of(best, max_edits);
    }
}

// GateKeeper. A thread computes one pair; a block computes 128 neighbouring pairs, and a warp 32 of
// them. WORDS is the number of words of 32 bases that the longest read takes. The integer pipe is
// busy for 86 to 91% of the cycles, the memory for less than 10% of the time.
template <int WORDS>
__global__ void __launch_bounds__(kThreads) estimate(const Work work, int32_t max_edits) {
    const int64_t k = int64_t(blockIdx.x) * kThreads + threadIdx.x;
    Pair pair;
    if (k >= work.count || !find(work, k, pair)) return;
    if (undefined(work, pair)) {
        work.results[k] = kUndefined;
        return;
    }
    uint32_t words[4][WORDS];
    const uint32_t *const planes[4] = {work.read_planes.low, work.read_planes.high,
                                       work.segment_planes.low, work.segment_planes.high};
    for (int32_t plane = 0; plane < 4; plane++)
        for (int32_t word = 0; 32 * word < pair.m; word++) {
            const int32_t left = pair.m - 32 * word;
            const uint32_t bits =
                bits32(planes[plane], (plane < 2 ? pair.read : pair.segment) + 32 * word);
            words[plane][word] = left < 32 ? bits & ((1u << left) - 1) : bits;
        }
    const GateKeeperPair same = {words[0], words[1], words[2], words[3], pair.m};
    work.results[k] = int16_t(gatekeeper(same, max_edits));
}

// Encodes `size` letters to bit planes. A thread encodes 32 letters to a word of each plane, a warp
// 32 neighbouring words. The buffer may be read up to a whole number of words. *any becomes 1 if a
// letter is undefined. The integer pipe is busy for 75% of the cycles, the memory for 34% of the
// time.
__global__ void __launch_bounds__(kThreads)
    encode(const uint4 *letters, int64_t size, uint32_t *low, uint32_t *high, uint32_t *undefined,
           uint32_t *any) {
    const int64_t word = int64_t(blockIdx.x) * kThreads + threadIdx.x;
    if (32 * word >= size) return;
    uint32_t l = 0, h = 0, u = 0;
#pragma unroll
    for (int32_t half = 0; half < 2; half++) {
        const uint4 text = letters[2 * word + half];
        const uint32_t four[4] = {text.x, text.y, text.z, text.w};
#pragma unroll
        for (int32_t k = 0; k < 4; k++) {
            const uint32_t x = four[k] >> 1 & 0x01010101u, y = four[k] >> 2 & 0x01010101u;
            // The upper-case letter of each code (x, y): A 0x41, C 0x43, T 0x54, G 0x47.
            const uint32_t expected = 0x41414141u + 2 * x + 19 * y - 15 * (x & y);
            uint32_t wrong = (four[k] & 0xdfdfdfdfu) ^ expected;
            wrong |= wrong >> 4 & 0x0f0f0f0fu;
            wrong |= wrong >> 2 & 0x03030303u;
            wrong = (wrong | wrong >> 1) & 0x01010101u;
            const int32_t to = 16 * half + 4 * k;
            l |= (x * 0x10204080u >> 28) << to;
            h |= (y * 0x10204080u >> 28) << to;
            u |= (wrong * 0x10204080u >> 28) << to;
        }
    }
    const int64_t left = size - 32 * word;
    if (left < 32) {
        const uint32_t own = (1u << left) - 1;
        l &= own;
        h &= own;
        u &= own;
    }
    low[word] = l;
    high[word] = h;
    undefined[word] = u;
    if (u) *any = 1;
}

}  // namespace prefilter
}  // namespace gkl_shim

// The CUDA kernels of read correction: count k-mers in tables, enlarge the tables, sum them up, and
// correct reads.
//
// In count_kmers(), search_reads() and vote_reads() a warp takes a read. The lanes hold 32 letters
// at a time. Ballots make them planes of bits (work.h), from which each lane cuts a k-mer of its
// own with two shifts. These warps have nothing in common, and any number of them may share the
// reads. Each kernel's comment says what a block, a warp or a thread takes, and what bounds it.
#include "common/integers.h"
#include "correct/cuda/work.h"
#include "gpu/kernel_threads.h"

namespace gkl_shim {
namespace correct {

__device__ unsigned lane_number() { return threadIdx.x % kWarp; }

// Moves bit i of a 32-bit number to bit 2i.
__device__ __forceinline__ uint32_t spread_half(uint32_t x) {
    x = (x | x << 8) & 0x00FF00FFu;
    x = (x | x << 4) & 0x0F0F0F0Fu;
    x = (x | x << 2) & 0x33333333u;
    return (x | x << 1) & 0x55555555u;
}
__device__ __forceinline__ uint64_t spread(uint32_t x) {
    return uint64_t(spread_half(x >> 16)) << 32 | spread_half(x & 0xFFFF);
}

// The k-mer of k bases, whose bits are given from the first base on. Higher bits than those of the
// k bases do not matter.
__device__ __forceinline__ uint64_t forward_of(const Hasher &hasher, uint32_t low, uint32_t high) {
    const int unused = 32 - hasher.k;
    return spread(__brev(low) >> unused) | spread(__brev(high) >> unused) << 1;
}
__device__ __forceinline__ uint64_t canonical_of(const Hasher &hasher, uint32_t low,
                                                 uint32_t high) {
    const uint64_t forward = forward_of(hasher, low, high);
    const uint64_t reverse = hasher.reverse_complement(forward);
    return forward < reverse ? forward : reverse;
}

// ---- Counting -------------------------------------------------------------------------------

// Counts a k-mer. Returns whether it is a new one.
__device__ bool count_hash(const Tables &tables, uint64_t hash) {
    const EntryLayout &layout = tables.layout;
    const int table = tables.numbers[layout.partition(hash)];
    if (table < 0) return false;
    const unsigned long long entry = layout.first(hash);
    const uint64_t size = uint64_t(tables.size);
    unsigned long long *const entries =
        reinterpret_cast<unsigned long long *>(tables.entries) + uint64_t(table) * size;
    uint64_t at = layout.place(entry, size);
    for (uint64_t tried = 0; tried < size; tried++) {
        for (unsigned long long here = entries[at];;) {
            if (here == 0) {
                here = atomicCAS(&entries[at], 0ull, entry);
                if (here == 0) return true;
            }
            if (!layout.same_kmer(here, entry)) break;
            if (layout.count(here) == layout.max_count()) return false;
            const unsigned long long before = atomicCAS(&entries[at], here, here + 1);
            if (before == here) return false;
            here = before;
        }
        if (++at == size) at = 0;
    }
    tables.overflowed[table] = 1;
    return false;
}

// A warp takes a read, and each lane one of 32 neighbouring k-mers, whose letters are in two words
// of each plane: the warp keeps these in registers and loads the next 32 letters.
//
// It is bound by the latency of memory: each k-mer is an atomic operation at a random place of
// tables that are larger than the second cache.
__global__ void count_kmers(CountWork work) {
    const Hasher hasher = work.hasher;
    const uint32_t bases_of_kmer = (1u << hasher.k) - 1;
    const unsigned lane = lane_number();
    unsigned found = 0;
    for (int64_t read = warp_number(); read < work.reads.count; read += warp_count()) {
        const uint32_t begin = work.reads.offsets[read];
        const int length = int(work.reads.offsets[read + 1] - begin);
        const int kmers = length - hasher.k + 1;
        uint32_t low = 0, high = 0, unknown = 0;
        for (int base = -kWarp; base < kmers; base += kWarp) {
            const int next = base + kWarp + int(lane);
            const uint32_t code = next < length ? code_of(work.reads.letters[begin + next]) : 0;
            const uint32_t next_low = __ballot_sync(~0u, code & 1);
            const uint32_t next_high = __ballot_sync(~0u, code & 2);
            const uint32_t next_unknown = __ballot_sync(~0u, code == kUnknown);
            const bool is_kmer =
                base >= 0 && base + int(lane) < kmers &&
                (__funnelshift_r(unknown, next_unknown, lane) & bases_of_kmer) == 0;
            if (is_kmer) {
                const uint64_t kmer = canonical_of(hasher, __funnelshift_r(low, next_low, lane),
                                                   __funnelshift_r(high, next_high, lane));
                found += count_hash(work.tables, hasher.hash(kmer));
            }
            low = next_low;
            high = next_high;
            unknown = next_unknown;
        }
    }
    for (unsigned by = kWarp / 2; by > 0; by /= 2) found += __shfl_down_sync(~0u, found, by);
    if (lane == 0 && found > 0) atomicAdd(work.tables.used, (unsigned long long)(found));
}

// A thread takes an entry of the tables `from` and puts it into the same table of `to`, where the
// tables have another size. Tables that `to` lacks are dropped. Random writes bound it.
__global__ void move_entries(Tables from, Tables to, int64_t tables) {
    unsigned found = 0;
    for (int64_t k = thread_number(); k < tables * from.size; k += thread_count()) {
        const uint64_t entry = from.entries[k];
        if (entry == 0) continue;
        const int64_t table = k / from.size;
        unsigned long long *const entries =
            reinterpret_cast<unsigned long long *>(to.entries) + table * to.size;
        const uint64_t size = uint64_t(to.size);
        uint64_t at = to.layout.place(entry, size), tried = 0;
        while (tried < size && atomicCAS(&entries[at], 0ull, (unsigned long long)(entry)) != 0) {
            tried++;
            if (++at == size) at = 0;
        }
        if (tried == size) to.overflowed[table] = 1;
        found++;
    }
    // All threads of a warp get here, with or without an entry.
    for (unsigned by = kWarp / 2; by > 0; by /= 2) found += __shfl_down_sync(~0u, found, by);
    if (lane_number() == 0 && found > 0) atomicAdd(to.used, (unsigned long long)(found));
}

// A block takes a table and reads it once, from the beginning: it counts the counts, and moves the
// entries that are kept to the beginning, in order. A table that lacked room is not changed.
// Reading bounds it.
__global__ void finish_tables(FinishWork work) {
    extern __shared__ uint32_t shared_words[];
    uint32_t *const histogram = shared_words, *const of_warps = shared_words + kMaxCount + 1;
    const int64_t table = blockIdx.x, size = work.tables.size;
    uint64_t *const entries = work.tables.entries + table * size;
    const unsigned lane = lane_number(), warp = threadIdx.x / kWarp, warps = blockDim.x / kWarp;
    if (work.tables.overflowed[table]) return;
    for (unsigned k = threadIdx.x; k <= kMaxCount; k += blockDim.x) histogram[k] = 0;
    uint32_t kept = 0, once = 0;
    for (int64_t begin = 0; begin < size; begin += blockDim.x) {
        const int64_t at = begin + threadIdx.x;
        const uint64_t entry = at < size ? entries[at] : 0;
        const uint32_t count = uint32_t(work.tables.layout.count(entry));
        const uint32_t keep = __ballot_sync(~0u, count > 1);
        once += count == 1;
        if (lane == 0) of_warps[warp] = uint32_t(__popc(keep));
        __syncthreads();
        uint32_t before = kept;
        for (unsigned other = 0; other < warps; other++) {
            before += other < warp ? of_warps[other] : 0;
            kept += of_warps[other];
        }
        if (count > 1) {
            atomicAdd(&histogram[count < kMaxCount ? count : kMaxCount], 1u);
            if (count >= kMaxCount) atomicAdd(&work.histogram[0], (unsigned long long)(count));
            entries[before + __popc(keep & ((1u << lane) - 1))] = entry;
        }
        __syncthreads();
    }
    for (unsigned by = kWarp / 2; by > 0; by /= 2) once += __shfl_down_sync(~0u, once, by);
    if (lane == 0) atomicAdd(&histogram[1], once);
    __syncthreads();
    for (unsigned k = threadIdx.x; k <= kMaxCount; k += blockDim.x)
        if (histogram[k]) atomicAdd(&work.histogram[k], (unsigned long long)(histogram[k]));
    if (threadIdx.x == 0) work.kept[table] = kept;
}

// ---- Correction -----------------------------------------------------------------------------

// The first bit of a plane from `from` on that differs from those of `flip`, or `end`. Inlining
// this function and the next two saves 5% of the kernel's time.
__device__ __forceinline__ int next_bit(const uint32_t *plane, int end, int from, uint32_t flip) {
    GKL_SHIM_ROLLED
    for (int word = from / kWarp; word * kWarp < end; word++) {
        uint32_t found = plane[word] ^ flip;
        if (word == from / kWarp) found &= ~0u << from % kWarp;
        if (found == 0) continue;
        const int at = word * kWarp + __ffs(int(found)) - 1;
        return at < end ? at : end;
    }
    return end;
}
// The last such bit from `from` down, or -1.
__device__ __forceinline__ int last_bit(const uint32_t *plane, int from, uint32_t flip) {
    if (from < 0) return -1;
    GKL_SHIM_ROLLED
    for (int word = from / kWarp; word >= 0; word--) {
        uint32_t found = plane[word] ^ flip;
        if (word == from / kWarp) found &= ~0u >> (kWarp - 1 - from % kWarp);
        if (found) return word * kWarp + kWarp - 1 - __clz(int(found));
    }
    return -1;
}

// Changes a base. All lanes of the warp call it.
__device__ __forceinline__ void set_base(uint32_t *low, uint32_t *high, uint32_t *unknown,
                                         int position, uint32_t base) {
    const uint32_t word = uint32_t(position) / kWarp, bit = 1u << position % kWarp;
    __syncwarp();
    if (lane_number() == 0) {
        low[word] = (low[word] & ~bit) | (base & 1 ? bit : 0);
        high[word] = (high[word] & ~bit) | (base & 2 ? bit : 0);
        unknown[word] = (unknown[word] & ~bit) | (base == kUnknown ? bit : 0);
    }
    __syncwarp();
}

// A read for search.h, held by a warp. All lanes call each function together and get the same
// answer. They read the planes of the read, and lane 0 changes them, except where the lanes change
// separate words.
class WarpLanes {
   public:
    // Expects a read with a k-mer. `planes` has room for it.
    __device__ WarpLanes(const SpectrumView &spectrum, const uint8_t *letters,
                         const uint8_t *qualities, int length, uint32_t *planes)
        : spectrum_(spectrum),
          bases_of_kmer_((1u << spectrum.hasher.k) - 1),
          letters_(letters),
          qualities_(qualities),
          length_(length),
          kmers_(length - spectrum.hasher.k + 1),
          lane_(lane_number()) {
        const int words = length / kWarp + 2;
        low_ = planes;
        high_ = low_ + words;
        unknown_ = high_ + words;
        weak_ = unknown_ + words;
        __syncwarp();
        GKL_SHIM_ROLLED
        for (int word = 0; word < words; word++) {
            const int at = word * kWarp + int(lane_);
            const uint32_t code = at < length ? code_of(letters[at]) : 0;
            const uint32_t low = __ballot_sync(~0u, code & 1);
            const uint32_t high = __ballot_sync(~0u, code & 2);
            const uint32_t unknown = __ballot_sync(~0u, code == kUnknown);
            any_unknown_ |= unknown;
            if (lane_ == 0) {
                low_[word] = low;
                high_[word] = high;
                unknown_[word] = unknown;
            }
        }
        __syncwarp();
    }

    // Whether a few k-mers that cover all bases are solid.
    __device__ bool sampled_solid() const {
        if (any_unknown_) return false;
        const int step = sample_step(k()), last = kmers_ - 1;
        bool solid = true;
        GKL_SHIM_ROLLED
        for (int at = int(lane_) * step; at < last + step; at += kWarp * step)
            solid = solid && is_solid(at < last ? at : last);
        return __all_sync(~0u, solid);
    }

    __device__ int length() const { return length_; }
    __device__ int kmers() const { return kmers_; }
    __device__ int k() const { return spectrum_.hasher.k; }
    __device__ uint32_t code(int position) const {
        const int word = position / kWarp, bit = position % kWarp;
        if (unknown_[word] >> bit & 1) return kUnknown;
        return (low_[word] >> bit & 1) | (high_[word] >> bit & 1) << 1;
    }
    __device__ void set_code(int position, uint32_t base) {
        set_base(low_, high_, unknown_, position, base);
    }
    __device__ uint32_t original(int position) const { return code_of(letters_[position]); }
    // N has no quality, whatever the file says.
    __device__ uint32_t quality(int position) const {
        if (!qualities_ || (unknown_[position / kWarp] >> position % kWarp & 1)) return 0;
        return qualities_[position];
    }
    __device__ uint64_t total_quality() const {
        unsigned long long total = 0;
        GKL_SHIM_ROLLED
        for (int at = int(lane_); at < length_; at += kWarp) total += quality(at);
        for (unsigned by = kWarp / 2; by > 0; by /= 2) total += __shfl_down_sync(~0u, total, by);
        return __shfl_sync(~0u, total, 0);
    }

    __device__ int next_weak(int from) const { return next_bit(weak_, kmers_, from, 0); }
    __device__ int next_solid(int from) const { return next_bit(weak_, kmers_, from, ~0u); }
    __device__ int last_weak(int from) const { return last_bit(weak_, from, 0); }
    __device__ int last_solid(int from) const { return last_bit(weak_, from, ~0u); }
    __device__ void set_solid(int first, int last) {
        __syncwarp();
        GKL_SHIM_ROLLED
        for (int word = first / kWarp + int(lane_); word * kWarp <= last; word += kWarp) {
            const int begin = word * kWarp < first ? first % kWarp : 0;
            const int end = last - word * kWarp < kWarp ? last - word * kWarp : kWarp - 1;
            weak_[word] &= ~((~0u << begin) & (~0u >> (kWarp - 1 - end)));
        }
        __syncwarp();
    }

    __device__ void find_weak() {
        __syncwarp();
        GKL_SHIM_ROLLED
        for (int base = 0; base < kmers_; base += kWarp) {
            const int at = base + int(lane_);
            const uint32_t weak = __ballot_sync(~0u, at < kmers_ && !is_solid(at));
            if (lane_ == 0) weak_[base / kWarp] = weak;
        }
        __syncwarp();
    }

    // Four lanes take a base each.
    __device__ uint32_t solid_bases(int position, int direction) const {
        const Change change = {position, lane_ % 4};
        const bool other = lane_ < 4 && change.base != code(position);
        return __ballot_sync(
            ~0u, other && is_solid_with(direction > 0 ? position - k() + 1 : position, change));
    }
    // Each lane looks up one of the k-mers.
    __device__ int run(const Change &change, int direction, int most) const {
        bool solid = false;
        if (int(lane_) < most) {
            const int at = direction > 0 ? change.position - k() + 1 + int(lane_)
                                         : change.position - int(lane_);
            solid = is_solid_with(at, change);
        }
        const uint32_t weak = ~__ballot_sync(~0u, solid);
        return weak ? __ffs(int(weak)) - 1 : kWarp;
    }

    // Each lane looks up one of the k-mers that contain the base.
    __device__ bool is_repeated(int position) const {
        const int at = position - int(lane_);
        bool repeated = true;
        if (at >= 0 && at < kmers_ && int(lane_) < k())
            repeated = !(bits(unknown_, at) & bases_of_kmer_) &&
                       spectrum_.is_solid_or_repeated(
                           canonical_of(spectrum_.hasher, bits(low_, at), bits(high_, at)));
        return __all_sync(~0u, repeated);
    }

    // Each lane takes the votes for one base, of all k-mers that contain it.
    __device__ bool vote(Change *best) const {
        // The most votes, then the first base in the order of positions and codes.
        unsigned long long most = 0;
        GKL_SHIM_ROLLED
        for (int base = 0; base < length_; base += kWarp) {
            const int at = base + int(lane_);
            if (at >= length_) continue;
            const uint32_t old = code(at);
            const int last = at < kmers_ ? at : kmers_ - 1;
            uint32_t votes[4] = {};
            GKL_SHIM_ROLLED
            for (int kmer = at - k() + 1 > 0 ? at - k() + 1 : 0; kmer <= last; kmer++) {
                const uint32_t others = bases_of_kmer_ & ~(1u << (at - kmer));
                if (!(weak_[kmer / kWarp] >> kmer % kWarp & 1) || (bits(unknown_, kmer) & others))
                    continue;
                // The k-mer with A at this place. Another base adds its bits.
                const uint32_t low = bits(low_, kmer) & others, high = bits(high_, kmer) & others;
                const Hasher &hasher = spectrum_.hasher;
                const uint64_t forward = forward_of(hasher, low, high);
                const uint64_t reverse =
                    hasher.reverse_complement(forward) & ~(uint64_t(3) << 2 * (at - kmer));
                for (uint32_t code = 0; code < 4; code++) {
                    if (code == old) continue;
                    const uint64_t one = forward | uint64_t(code) << 2 * (k() - 1 - at + kmer);
                    const uint64_t other = reverse | uint64_t(code ^ 2) << 2 * (at - kmer);
                    votes[code] += spectrum_.is_solid(one < other ? one : other);
                }
            }
            for (uint32_t code = 0; code < 4; code++) {
                const unsigned long long key = (unsigned long long)(votes[code]) << 33 |
                                               (0x1FFFFFFFFull - uint64_t(at) * 4 - code);
                if (votes[code] > 0 && key > most) most = key;
            }
        }
        __syncwarp();
        for (unsigned by = kWarp / 2; by > 0; by /= 2) {
            const unsigned long long other = __shfl_down_sync(~0u, most, by);
            if (other > most) most = other;
        }
        most = __shfl_sync(~0u, most, 0);
        if (most == 0) return false;
        const uint64_t index = 0x1FFFFFFFFull - (most & 0x1FFFFFFFFull);
        best->position = int32_t(index / 4);
        best->base = uint32_t(index % 4);
        return true;
    }

    // Writes the bases that were changed, and returns their number.
    __device__ int write(uint8_t *letters) const {
        int changes = 0;
        GKL_SHIM_ROLLED
        for (int base = 0; base < length_; base += kWarp) {
            const int at = base + int(lane_);
            const bool changed = at < length_ && code(at) != code_of(letters[at]);
            if (changed) letters[at] = letter_of(code(at));
            changes += __popc(__ballot_sync(~0u, changed));
        }
        return changes;
    }

   private:
    // The bits of the 32 bases from a position on.
    __device__ uint32_t bits(const uint32_t *plane, int at) const {
        return __funnelshift_r(plane[at / kWarp], plane[at / kWarp + 1], uint32_t(at) % kWarp);
    }
    __device__ bool is_solid(int at) const {
        if (bits(unknown_, at) & bases_of_kmer_) return false;
        return spectrum_.is_solid(canonical_of(spectrum_.hasher, bits(low_, at), bits(high_, at)));
    }
    // Whether a k-mer would be solid with a change in it.
    __device__ bool is_solid_with(int at, const Change &change) const {
        const uint32_t bit = 1u << (change.position - at);
        if (bits(unknown_, at) & bases_of_kmer_ & ~bit) return false;
        const uint32_t low = (bits(low_, at) & ~bit) | (change.base & 1 ? bit : 0);
        const uint32_t high = (bits(high_, at) & ~bit) | (change.base & 2 ? bit : 0);
        return spectrum_.is_solid(canonical_of(spectrum_.hasher, low, high));
    }

    const SpectrumView &spectrum_;
    const uint32_t bases_of_kmer_;
    const uint8_t *const letters_, *const qualities_;
    const int length_, kmers_;
    const unsigned lane_;
    uint32_t *low_, *high_, *unknown_, *weak_;
    uint32_t any_unknown_ = 0;
};

// A warp takes a read. Its lanes look up neighbouring k-mers together: those of the sample, then
// all of them, then the k-mers that a change would make solid. All lanes follow the same decisions,
// so the warp does not diverge.
__device__ __forceinline__ void correct_reads(const CorrectWork &work, Method method,
                                              uint32_t *shared) {
    for (int64_t read = warp_number(); read < work.reads.count; read += warp_count()) {
        const uint32_t begin = work.reads.offsets[read];
        const int length = int(work.reads.offsets[read + 1] - begin);
        Outcome outcome = {kShort, 0, length, 0};
        if (length >= work.spectrum.hasher.k) {
            uint32_t *const planes =
                length < kSharedBases ? shared : work.planes + plane_words(begin, uint64_t(read));
            const uint8_t *const qualities = work.qualities ? work.qualities + begin : nullptr;
            WarpLanes lanes(work.spectrum, work.letters + begin, qualities, length, planes);
            outcome.state = kSolid;
            if (!lanes.sampled_solid()) {
                lanes.find_weak();
                outcome = corrected(lanes, method, work.limits);
                if (outcome.state != kSolid) outcome.changes = lanes.write(work.letters + begin);
            }
        }
        if (lane_number() == 0) work.outcomes[read] = outcome;
    }
}

// A warp takes a read, as correct_reads() says. Look-ups bound it: the second cache, which holds
// the spectrum of a bacterium, or the memory for a larger one.
__global__ void search_reads(CorrectWork work) {
    extern __shared__ uint32_t shared_words[];
    correct_reads(work, kSearch, shared_words + threadIdx.x / kWarp * kSharedWords);
}

// A warp takes a read, and for the votes each lane a base. Instructions bound it: each vote takes
// three look-ups for each base of each weak k-mer.
__global__ void vote_reads(CorrectWork work) {
    extern __shared__ uint32_t shared_words[];
    correct_reads(work, kVoting, shared_words + threadIdx.x / kWarp * kSharedWords);
}

}  // namespace correct
}  // namespace gkl_shim

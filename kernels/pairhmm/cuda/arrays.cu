// The CUDA kernels for batches that are in a device's memory already (cuda/arrays.h). Results
// travel to the host as lengths and counts; bases do not.

#include "pairhmm/cuda/arrays.h"

namespace gkl_shim {
namespace pairhmm {
namespace {

constexpr int64_t kWordBytes = 8;
constexpr uint64_t kEachLetter = 0x0101010101010101, kHighBits = 0x80 * kEachLetter;

// An array of bytes, read a word at a time at any place.
struct Bytes {
    const uint8_t *begin, *end;

    // The `count` bytes from `from` on, 1 to 8, the first one lowest, and others above them.
    __device__ __forceinline__ uint64_t load(const uint8_t *from, int count) const {
        const int ahead = int(uint64_t(from) % sizeof(uint64_t));
        const uint8_t *const aligned = from - ahead;
        uint64_t bytes = 0;
        if (aligned < begin || end - aligned < int64_t(2 * sizeof(uint64_t))) {
            // Beyond its ends there may be nothing.
            for (int k = 0; k < count; k++) bytes |= uint64_t(from[k]) << 8 * k;
            return bytes;
        }
        const uint64_t *words = reinterpret_cast<const uint64_t *>(aligned);
        bytes = words[0] >> 8 * ahead;
        if (ahead + count > int(sizeof(uint64_t))) bytes |= words[1] << (64 - 8 * ahead);
        return bytes;
    }
};

__device__ __forceinline__ uint64_t backwards(uint64_t bytes) {
    bytes = (bytes & 0x00ff00ff00ff00ff) << 8 | (bytes >> 8 & 0x00ff00ff00ff00ff);
    bytes = (bytes & 0x0000ffff0000ffff) << 16 | (bytes >> 16 & 0x0000ffff0000ffff);
    return bytes << 32 | bytes >> 32;
}

// The highest bit of each byte that is this one.
__device__ __forceinline__ uint64_t where(uint64_t bytes, uint8_t byte) {
    const uint64_t other = bytes ^ byte * kEachLetter;
    return ~(((other & ~kHighBits) + ~kHighBits) | other) & kHighBits;
}

// One byte for what is one letter (letters.h says what is), 0 for A.
__device__ __forceinline__ uint64_t letters_of(uint64_t bytes, bool as_gkl, uint64_t *refused) {
    if (!as_gkl) bytes &= 0xdf * kEachLetter;  // upper case
    const uint64_t known =
        where(bytes, 'C') | where(bytes, 'G') | where(bytes, 'T') | where(bytes, 'N');
    *refused = as_gkl ? 0 : kHighBits & ~(known | where(bytes, 'A'));
    return bytes & (known | (known - (known >> 7)));
}

__device__ __forceinline__ uint8_t letter_of(uint8_t base, bool as_gkl) {
    if (!as_gkl) base &= 0xdf;
    return base == 'C' ? kC : base == 'G' ? kG : base == 'T' ? kT : base == 'N' ? kN : kA;
}

// A haplotype's head, or its tail from the end backwards.
struct Half {
    Bytes bases;
    const uint8_t *first;
    int64_t length;
    bool backward, as_gkl;

    // Eight letters, behind the last one bytes that are none.
    __device__ __forceinline__ uint64_t word(int64_t at, uint64_t *refused) const {
        *refused = 0;
        if (at >= length) return ~uint64_t(0);
        const int count = int(length - at < kWordBytes ? length - at : kWordBytes);
        const int unused = 8 * (int(kWordBytes) - count);
        const uint64_t bytes =
            backward ? backwards(bases.load(first - at - (count - 1), count) << unused)
                     : bases.load(first + at, count);
        const uint64_t letters = letters_of(bytes, as_gkl, refused), all = ~uint64_t(0);
        *refused &= all >> unused;
        return unused ? letters | all << (64 - unused) : letters;
    }
    __device__ __forceinline__ uint64_t word(int64_t at) const {
        uint64_t refused;
        return word(at, &refused);
    }
};

__device__ __forceinline__ int first_byte(uint64_t bytes) {
    return (__ffsll(int64_t(bytes)) - 1) / 8;
}

}  // namespace
}  // namespace pairhmm
}  // namespace gkl_shim

using namespace gkl_shim::pairhmm;

// Finds in each of the arrays, a row of blocks each, the first byte that is none of ACGTN in either
// case (the first array), or that is no quality up to 127. A thread takes eight bytes at a time,
// neighbouring ones neighbouring words. What bounds it: of qualities how many loads are under way
// (2.8 TB/s on an H200, whose memory gives 4.8), of letters the comparisons (1.6).
//
// The last block to be done writes to `places`, in the host's memory: `count` where nothing is
// wrong.
extern "C" __global__ void __launch_bounds__(kArrayThreads)
    pairhmm_first_wrong(Tracks tracks, int64_t count, Faults *faults, uint64_t *places) {
    const uint8_t *const bytes = tracks.bytes[blockIdx.y];
    const bool letters = blockIdx.y == 0;
    const int64_t step = int64_t(gridDim.x) * kArrayThreads * kWordBytes;
    int64_t at = (int64_t(blockIdx.x) * kArrayThreads + threadIdx.x) * kWordBytes;
    for (; at < count; at += step) {
        const int here = int(count - at < kWordBytes ? count - at : kWordBytes);
        const uint64_t some = Bytes{bytes, bytes + count}.load(bytes + at, here);
        uint64_t wrong = some & kHighBits;
        if (letters) letters_of(some, false, &wrong);
        wrong &= ~uint64_t(0) >> 8 * (int(kWordBytes) - here);
        if (!wrong) continue;
        atomicMin(&faults->first[blockIdx.y],
                  static_cast<unsigned long long>(at + first_byte(wrong)));
        __threadfence();
        break;
    }
    __syncthreads();
    if (threadIdx.x != 0) return;
    // Counted from what kNoFault makes: -1.
    if (atomicAdd(&faults->blocks_done, 1u) + 2 != gridDim.x * gridDim.y) return;
    __threadfence();
    const uint64_t none = ~uint64_t(0);
    for (unsigned int track = 0; track < gridDim.y; track++) {
        const uint64_t first = atomicExch(&faults->first[track], none);
        places[track] = first < uint64_t(count) ? first : uint64_t(count);
    }
    faults->blocks_done = ~0u;
}

// What each haplotype has in common with those of its region before it: a block a region and a
// half, heads in the first row of blocks, tails in the second.
//
// All are compared with a leader, at first the region's first haplotype, eight letters at a time; a
// thread takes one haplotype, or one after another. Those that part from their leader are listed
// and compared with one another: the first one of those that have the same eight letters is their
// new leader. A haplotype that becomes a leader has then been compared with all before it that had
// as much in common with it, and keeps the longest prefix and whose it is; one that never does is a
// repeat. So the work is that of reading each haplotype and its leader once, whatever their number,
// and at each place the square of how many part there.
//
// What bounds it is latency: two loads a step, and a barrier before the next. Most regions have few
// haplotypes and are a warp's work; large ones get a wider block in a launch of their own. An H200
// takes 80 us for 3,000 regions of GATK's, 0.7 ms for one of 1,000 haplotypes of 500 bases, and 2.6
// ms where these have 10,000.
//
// `prefixes` are in the host's memory: each is written once.
extern "C" __global__ void __launch_bounds__(kCompareMany)
    pairhmm_common_prefixes(const uint8_t *bases, const int64_t *offsets, const int64_t *regions,
                            int as_gkl, Prefix *prefixes, int32_t *leaders, Parting *partings) {
    const int64_t first = regions[blockIdx.x], all = regions[gridDim.x];
    const int count = int(regions[blockIdx.x + 1] - first);
    if ((count > kFewHaplotypes) != (blockDim.x > unsigned(kCompareFew))) return;
    const Bytes all_bases = {bases, bases + offsets[all]};
    const bool backward = blockIdx.y == 1;
    offsets += first;
    prefixes += blockIdx.y * all + first;
    leaders += blockIdx.y * all + first;
    partings += blockIdx.y * all + first;
    const auto half = [&](int h) {
        const int64_t length = offsets[h + 1] - offsets[h], head = length / 2;
        const uint8_t *at = bases + (backward ? offsets[h + 1] - 1 : offsets[h]);
        return Half{all_bases, at, backward ? length - head : head, backward, as_gkl != 0};
    };
    // How many are listed, of this step, the next one and the one after.
    __shared__ int listed[3];
    if (threadIdx.x < 3) listed[threadIdx.x] = 0;
    for (int h = int(threadIdx.x); h < count; h += int(blockDim.x)) leaders[h] = 0;
    __syncthreads();
    bool wrong = false;
    for (int64_t step = 0;; step++) {
        const int64_t at = step * kWordBytes;
        bool letters_left = false;
        for (int h = int(threadIdx.x); h < count; h += int(blockDim.x)) {
            const Half mine = half(h);
            if (at > mine.length) continue;
            letters_left = true;
            uint64_t none;
            const uint64_t own = mine.word(at, &none);
            wrong = wrong || none;
            const int leader = leaders[h];
            if (leader == h) continue;
            const uint64_t differing = own ^ half(leader).word(at);
            if (!differing) continue;
            partings[atomicAdd(&listed[step % 3], 1)] = {own, h, leader,
                                                         int32_t(at + first_byte(differing)), 0};
        }
        if (!__syncthreads_or(letters_left)) break;
        const int parting = listed[step % 3];
        // All have read it, and nobody lists there before the next barrier.
        if (threadIdx.x == 0) listed[(step + 2) % 3] = 0;
        if (parting == 0) continue;
        for (int k = int(threadIdx.x); k < parting; k += int(blockDim.x)) {
            const Parting mine = partings[k];
            int32_t like = mine.leader, most = mine.length;
            int leader = mine.haplotype;
            for (int z = 0; z < parting; z++) {
                const Parting other = partings[z];
                if (other.leader != mine.leader || other.haplotype >= mine.haplotype) continue;
                const uint64_t differing = mine.word ^ other.word;
                if (!differing) {
                    leader = other.haplotype < leader ? other.haplotype : leader;
                    continue;
                }
                const int32_t length = int32_t(at + first_byte(differing));
                if (length > most || (length == most && other.haplotype < like)) {
                    like = other.haplotype;
                    most = length;
                }
            }
            leaders[mine.haplotype] = leader;
            if (leader == mine.haplotype) prefixes[leader] = prefix_of(like, most);
        }
        __syncthreads();
    }
    for (int h = int(threadIdx.x); h < count; h += int(blockDim.x))
        if (leaders[h] != h) prefixes[h] = prefix_of(leaders[h], int32_t(half(h).length));
    const bool refused = __syncthreads_or(wrong);
    if (threadIdx.x == 0 && count > 0) prefixes[0] = prefix_of(0, refused ? kLetterRefused : 0);
}

// Fetches the letters of a chunk's columns, a warp a segment, and points the chunk's header at the
// reads. What bounds it is latency; a chunk has few columns beside its cells.
extern "C" __global__ void __launch_bounds__(kArrayThreads) pairhmm_fetch(uint8_t *chunk) {
    const ArraysRecord &arrays = *reinterpret_cast<const ArraysRecord *>(chunk + kArraysRecordAt);
    const int segment = int(blockIdx.x * kArrayThreads + threadIdx.x) / kWarp;
    const int lane = int(threadIdx.x) % kWarp;
    const bool as_gkl = arrays.as_gkl != 0;
    if (segment == 0 && lane == 0) {
        ChunkHeader &header = *reinterpret_cast<ChunkHeader *>(chunk);
        const int64_t here = reinterpret_cast<int64_t>(chunk);
        header.bases = arrays.bases - here;
        header.base_quals = arrays.base_quals - here;
        header.insertion_quals = arrays.insertion_quals - here;
        header.deletion_quals = arrays.deletion_quals - here;
        header.continuation_quals = arrays.continuation_quals - here;
    }
    if (segment >= arrays.segment_count) return;
    const Segment from = reinterpret_cast<const Segment *>(chunk + arrays.segments)[segment];
    const uint8_t *bases = reinterpret_cast<const uint8_t *>(arrays.haplotype_bases) + from.source;
    for (int k = lane; k < from.length; k += kWarp)
        chunk[from.column + k] = letter_of(bases[int64_t(k) * from.step], as_gkl);
    if (lane == 0 && from.event != 0) {
        const uint8_t letter = letter_of(bases[int64_t(from.letter) * from.step], as_gkl);
        // The rest of this is zero.
        reinterpret_cast<Event *>(chunk + from.event)->what |= event_of(kNone, letter, kNone);
    }
}

// The CUDA kernels of maximal exact matches: make texts, index a page, count the matches, write
// them, and put them in order.
//
// The index is a counting sort. count_seeds() counts each bucket, the scan makes a bucket's count
// its end, and fill_seeds() moves the ends down to the starts. The order within a bucket does not
// matter, because the matches are sorted.
//
// Matches are sorted in the same way, by their positions in the queries. A warp takes a tile of
// neighbouring seeds of the queries. count_matches() counts the matches that start at each
// position, and how many there are, and writes them to the memory of the chunk before. The scan
// makes the counts places, and place_matches() moves the matches there. If there was too little
// room, the host allocates more, and fill_matches() finds the matches again. order_matches() sorts
// those of one position by the reference.
//
// The warps of a block have nothing in common: no kernel uses shared memory. Any number of warps
// may share the work. docs/mem.md has the profile of those that take the most time.
#include "common/integers.h"
#include "mem/cuda/work.h"

namespace gkl_shim {
namespace mem {

// A lane compares up to this many candidates of its seed. The whole warp shares longer lists.
enum { kOwnCandidates = 8 };

__device__ int64_t thread_number() { return int64_t(blockIdx.x) * blockDim.x + threadIdx.x; }
__device__ int64_t thread_count() { return int64_t(gridDim.x) * blockDim.x; }
__device__ int64_t warp_number() { return thread_number() / kWarp; }
__device__ int64_t warp_count() { return thread_count() / kWarp; }

// Where the letter at a position of a sequence is given. The sequence is [start, next - 1).
__device__ int64_t given_place(const TextWork &work, int64_t sequence, int64_t start, int64_t next,
                               int64_t position) {
    // Without end bytes, there is one less for each sequence before.
    const int64_t less = work.given_end_bytes ? 0 : sequence;
    return (work.reversed ? start + next - 2 - position : position) - less;
}

// The 8 letters at a position of a text. The sequence starts there or before.
__device__ uint64_t letters_at(const TextWork &work, int64_t sequence, int64_t position) {
    uint64_t letters = 0;
    for (int k = 0; k < 8;) {
        const int64_t at = position + k;
        const bool last = sequence + 1 >= work.sequences;
        const int64_t start = work.starts[sequence];
        const int64_t next = last ? work.size : work.starts[sequence + 1];
        if (!last && at >= next) {
            sequence++;
            continue;
        }
        uint8_t letter = work.end_byte;
        if (at >= 0 && at < next - 1) {
            const int64_t place = given_place(work, sequence, start, next, at);
            if (k == 0 && at + 8 < next &&
                usual_letters(work.given + (work.reversed ? place - 7 : place), work.reversed,
                              &letters))
                return letters;
            letter = work.table.of[work.given[place]];
        }
        letters |= uint64_t(letter) << 8 * k++;
    }
    return letters;
}

// A warp takes kRun neighbouring letters of a text and makes them, with their codes and odd bits:
// each lane, 8 of every 256. It finds the sequence at its first position by bisection, and walks on
// from there. These reads wait for each other, and bound it where there are many sequences;
// otherwise reading and writing the letters do.
__global__ void make_text(TextWork work) {
    const int64_t words_of_run = kRun / 8, runs = (work.words + words_of_run - 1) / words_of_run;
    for (int64_t run = warp_number(); run < runs; run += warp_count()) {
        int64_t sequence = 0, after = work.sequences;
        while (after - sequence > 1) {
            const int64_t middle = sequence + (after - sequence) / 2;
            (work.starts[middle] <= run * kRun - kAround ? sequence : after) = middle;
        }
        for (int k = threadIdx.x % kWarp; k < words_of_run; k += kWarp) {
            const int64_t word = run * words_of_run + k, position = word * 8 - kAround;
            if (word >= work.words) break;
            while (sequence + 1 < work.sequences && work.starts[sequence + 1] <= position)
                sequence++;
            const uint64_t letters = letters_at(work, sequence, position);
            reinterpret_cast<uint64_t *>(work.letters)[word] = letters;
            reinterpret_cast<uint16_t *>(work.codes)[word] = codes_of(letters);
            work.odd[word] = odd_of(letters);
        }
    }
}

// A thread takes a seed and counts it in its bucket. Atomic additions at random places bound it.
__global__ void count_seeds(SeedWork work) {
    for (int64_t k = thread_number(); k < work.count; k += thread_count()) {
        const int64_t at = work.first + k * work.seeds.reference_step;
        const int64_t bucket = bucket_at(work.seeds, work.reference, at);
        if (bucket >= 0) atomicAdd(&work.starts[bucket], 1u);
    }
}

// A thread takes a seed and writes its position to its bucket. Expects the end of each bucket in
// `starts`, and leaves where it starts. Atomic additions and writes at random places bound it.
__global__ void fill_seeds(SeedWork work) {
    for (int64_t k = thread_number(); k < work.count; k += thread_count()) {
        const int64_t at = work.first + k * work.seeds.reference_step;
        const int64_t bucket = bucket_at(work.seeds, work.reference, at);
        if (bucket >= 0) work.positions[atomicAdd(&work.starts[bucket], ~0u) - 1] = uint32_t(at);
    }
}

// The sum over the lanes up to this one.
__device__ uint32_t sum_up_to(uint32_t value) {
    const unsigned lane = threadIdx.x % kWarp;
    for (unsigned by = 1; by < kWarp; by *= 2) {
        const uint32_t below = __shfl_up_sync(~0u, value, by);
        if (lane >= by) value += below;
    }
    return value;
}

// A warp takes kScanned values and writes their sum. Reading bounds it.
__global__ void sum_values(const uint32_t *values, int64_t count, uint32_t *sums) {
    const int64_t tiles = (count + kScanned - 1) / kScanned;
    for (int64_t tile = warp_number(); tile < tiles; tile += warp_count()) {
        uint32_t sum = 0;
        for (int k = threadIdx.x % kWarp; k < kScanned; k += kWarp) {
            const int64_t at = tile * kScanned + k;
            if (at < count) sum += values[at];
        }
        sum = sum_up_to(sum);
        if (threadIdx.x % kWarp == kWarp - 1) sums[tile] = sum;
    }
}

// A warp takes kScanned values, a tile: each becomes the sum of all values up to it. sums[k] is the
// sum of all values up to the end of tile k; `sums` is not read if there is one tile. Reading and
// writing bound it.
__global__ void scan_values(uint32_t *values, int64_t count, const uint32_t *sums) {
    const int64_t tiles = (count + kScanned - 1) / kScanned;
    for (int64_t tile = warp_number(); tile < tiles; tile += warp_count()) {
        uint32_t before = tile == 0 ? 0 : sums[tile - 1];
        for (int k = threadIdx.x % kWarp; k < kScanned; k += kWarp) {
            const int64_t at = tile * kScanned + k;
            const uint32_t sum = before + sum_up_to(at < count ? values[at] : 0);
            if (at < count) values[at] = sum;
            before = __shfl_sync(~0u, sum, kWarp - 1);
        }
    }
}

// Calls visit(found) for each match of a tile, in the lane that found it. All lanes of a warp call
// it together. kLanesOfSeed neighbouring lanes share a seed, and all lanes share one with many
// candidates.
template <class Visit>
__device__ void visit_matches(const MatchWork &work, int64_t tile, const Visit &visit) {
    const int lane = threadIdx.x % kWarp;
    const int64_t number = tile * kTile + lane / kLanesOfSeed;
    const int64_t at = work.first + number * work.seeds.query_step;
    uint32_t from = 0, count = 0;
    if (number < work.count) {
        const int64_t bucket = bucket_at(work.seeds, work.queries, at);
        if (bucket >= 0) {
            from = work.starts[bucket];
            count = work.starts[bucket + 1] - from;
        }
    }
    const auto compare = [&](uint32_t place, int64_t query) {
        const int64_t reference = work.positions[place];
        int64_t before, equal;
        if (!is_match(work.seeds, work.min_length, work.reference.letters + reference,
                      work.queries.letters + query, &before, &equal))
            return;
        const int64_t start = query - before;
        if (start >= work.begin && start < work.end)
            visit(Found{uint32_t(reference - before), uint32_t(start), uint32_t(before + equal)});
    };
    const bool shared = count > kOwnCandidates * kLanesOfSeed;
    if (!shared)
        for (uint32_t k = uint32_t(lane % kLanesOfSeed); k < count; k += kLanesOfSeed)
            compare(from + k, at);
    if (!__any_sync(~0u, shared)) return;
    for (int owner = 0; owner < kWarp; owner += kLanesOfSeed) {
        const uint32_t candidates = __shfl_sync(~0u, count, owner);
        if (candidates <= kOwnCandidates * kLanesOfSeed) continue;
        const uint32_t first = __shfl_sync(~0u, from, owner);
        const int64_t query = __shfl_sync(~0u, at, owner);
        for (uint32_t k = uint32_t(lane); k < candidates; k += kWarp) compare(first + k, query);
    }
}

// A warp takes a tile: it adds the matches of each position to places[position - work.begin], and
// all of them to *total. It writes them as it finds them, as far as there is room. Reads at random
// places bound it: of the index, and of the reference's letters for each candidate.
__global__ void count_matches(MatchWork work, uint32_t *places, unsigned long long *total,
                              Found *matches, int64_t room) {
    const int64_t tiles = (work.count + kTile - 1) / kTile;
    for (int64_t tile = warp_number(); tile < tiles; tile += warp_count())
        visit_matches(work, tile, [&](const Found &match) {
            atomicAdd(&places[match.query - work.begin], 1u);
            const unsigned long long number = atomicAdd(total, 1ull);
            if (number < (unsigned long long)(room)) matches[number] = match;
        });
}

// A thread takes a match that count_matches() has written, and copies it to a place among those of
// the same position in the queries. Expects in `places` where the matches of each position end, and
// leaves where they begin. `begin` is the position that `places` begins with. Writes at random
// places bound it.
__global__ void place_matches(const Found *matches, int64_t count, int64_t begin, uint32_t *places,
                              Found *placed) {
    for (int64_t k = thread_number(); k < count; k += thread_count())
        placed[atomicAdd(&places[matches[k].query - begin], ~0u) - 1] = matches[k];
}

// Does the same as place_matches() where count_matches() had too little room: a warp takes a tile
// and finds its matches again. The reads of count_matches() bound it.
__global__ void fill_matches(MatchWork work, uint32_t *places, Found *matches) {
    const int64_t tiles = (work.count + kTile - 1) / kTile;
    for (int64_t tile = warp_number(); tile < tiles; tile += warp_count())
        visit_matches(work, tile, [&](const Found &match) {
            matches[atomicAdd(&places[match.query - work.begin], ~0u) - 1] = match;
        });
}

// A thread takes a match and copies it to its place among those of the same position in the
// queries. It compares it with all of them, and these reads bound it. Where there are more than
// kMostOrdered, they keep their places. `begin` is the position that `places` begins with.
__global__ void order_matches(const uint32_t *places, int64_t begin, const Found *matches,
                              int64_t count, Found *ordered) {
    for (int64_t k = thread_number(); k < count; k += thread_count()) {
        const Found match = matches[k];
        const uint32_t *const place = places + (match.query - begin);
        const uint32_t first = place[0], last = place[1];
        uint32_t to = first;
        if (last - first > kMostOrdered)
            to = uint32_t(k);
        else
            for (uint32_t other = first; other < last; other++)
                to += matches[other].reference < match.reference;
        ordered[to] = match;
    }
}

}  // namespace mem
}  // namespace gkl_shim

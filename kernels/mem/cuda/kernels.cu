// The CUDA kernels of maximal exact matches: make texts, index a page, count the matches, write
// them, and put them in order.
//
// The index is sorted by bucket in two steps, so that memory is read and written in order, or
// within a range that fits in the second cache. Neighbouring buckets are a part of the table.
// count_parts() counts the seeds of each part. The scan replaces each count by the sum of all up to
// it, which is where the part ends. divide_seeds() copies the seeds to their parts. sort_parts()
// sorts each part in shared memory. The order within a bucket does not matter, because the matches
// are sorted.
//
// Matches are sorted by their positions in the queries, with a counting sort. A warp takes a tile
// of neighbouring seeds of the queries. count_matches() counts the matches that start at each
// position, and how many there are, and writes them to the memory of the chunk before. The scan
// makes the counts places, and place_matches() moves the matches there. If there was too little
// room, the host allocates more, and fill_matches() finds the matches again. order_matches() sorts
// those of one position by the reference.
//
// Only the kernels of the index use shared memory, and have a block for each slice of the work. The
// warps of other kernels have nothing in common, and any number of them may share the work.
// docs/algorithms/mem.md has the profile of the kernels that take the most time.
#include "common/integers.h"
#include "gpu/kernel_threads.h"
#include "mem/cuda/work.h"

namespace gkl_shim {
namespace mem {

// A lane compares up to this many candidates of its seed. The whole warp shares longer lists.
enum { kOwnCandidates = 8 };

// Where the letter at a position of a sequence is given. The sequence is [start, next - 1).
__device__ int64_t source_place(const TextWork &work, int64_t sequence, int64_t start, int64_t next,
                                int64_t position) {
    // Each sequence before this one ends with an end byte in the text, but perhaps not here.
    const int64_t less = work.source_has_end_bytes ? 0 : sequence;
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
            const int64_t place = source_place(work, sequence, start, next, at);
            if (k == 0 && at + 8 < next &&
                usual_letters(work.source + (work.reversed ? place - 7 : place), work.reversed,
                              &letters))
                return letters;
            letter = work.table.of[work.source[place]];
        }
        letters |= uint64_t(letter) << 8 * k++;
    }
    return letters;
}

// A warp takes kRunLetters neighbouring letters of a text and makes them, with their codes and odd
// bits: each lane, 8 of every 256. It finds the sequence at its first position by bisection, and
// walks on from there. With many sequences these dependent loads take most of the time. Otherwise
// loading and storing the letters does.
__global__ void make_text(TextWork work) {
    const int64_t words_of_run = kRunLetters / 8,
                  runs = (work.words + words_of_run - 1) / words_of_run;
    for (int64_t run = warp_number(); run < runs; run += warp_count()) {
        int64_t sequence = 0, after = work.sequences;
        while (after - sequence > 1) {
            const int64_t middle = sequence + (after - sequence) / 2;
            (work.starts[middle] <= run * kRunLetters - kGuard ? sequence : after) = middle;
        }
        for (int k = threadIdx.x % kWarp; k < words_of_run; k += kWarp) {
            const int64_t word = run * words_of_run + k, position = word * 8 - kGuard;
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

// The sum over the lanes up to this one.
__device__ uint32_t sum_up_to(uint32_t value) {
    const unsigned lane = threadIdx.x % kWarp;
    for (unsigned by = 1; by < kWarp; by *= 2) {
        const uint32_t below = __shfl_up_sync(~0u, value, by);
        if (lane >= by) value += below;
    }
    return value;
}

// Calls visit(in, k, values[k]) for each k in [first, last). `in` says whether the lane has one.
// All threads of a block call it together, and lanes take neighbours. A thread loads several values
// before it visits the first, because there may be few threads for very many values.
template <class Value, class Visit>
__device__ void visit_values(const Value *values, int64_t first, int64_t last, const Visit &visit) {
    constexpr int kLoaded = 8;
    const int threads = blockDim.x, thread = threadIdx.x;
    for (int64_t begin = first; begin < last; begin += kLoaded * threads) {
        const int left = int(min(last - begin, int64_t(kLoaded * threads)));
        Value loaded[kLoaded] = {};
        for (int n = 0; n < kLoaded; n++)
            if (n * threads + thread < left) loaded[n] = values[begin + n * threads + thread];
        for (int n = 0; n < kLoaded && n * threads < left; n++) {
            const int k = n * threads + thread;
            visit(k < left, begin + k, loaded[n]);
        }
    }
}

// Takes a place for each lane, unless `which` is negative: returns next[which] and adds one to it,
// for one lane after the other. All lanes of a warp call it together. If they take the same, as in
// a run of one letter, one lane adds for all: each addition would have to wait for the one before.
__device__ uint32_t take_place(uint32_t *next, int32_t which) {
    const unsigned lane = threadIdx.x % kWarp;
    const bool same = __all_sync(~0u, which == __shfl_sync(~0u, which, 0));
    if (which < 0) return 0;
    if (!same) return atomicAdd(&next[which], 1u);
    uint32_t place = 0;
    if (lane == 0) place = atomicAdd(&next[which], uint32_t(kWarp));
    return __shfl_sync(~0u, place, 0) + lane;
}

// Sets words of shared memory to zero. All threads of a block call it together.
__device__ void clear(uint32_t *words, int count) {
    for (int k = threadIdx.x; k < count; k += blockDim.x) words[k] = 0;
    __syncthreads();
}

// A block takes a slice, kIndexSlice neighbouring seeds. It writes the bucket of each seed to
// `buckets`, and adds how many there are of each part to part_starts. A thread takes every
// kIndexThreads-th seed. Computing the buckets bounds it.
__global__ void count_parts(SeedWork work) {
    extern __shared__ uint32_t shared_words[];
    uint32_t *const counts = shared_words;
    clear(counts, work.parts);
    const int64_t first = int64_t(blockIdx.x) * kIndexSlice,
                  last = min(first + kIndexSlice, work.count);
    for (int64_t k = first + threadIdx.x; k < last; k += blockDim.x) {
        const int64_t at = work.first + k * work.seeds.reference_step;
        const int32_t bucket = int32_t(bucket_at(work.seeds, work.reference, at));
        work.buckets[k] = bucket;
        if (bucket >= 0) atomicAdd(&counts[bucket >> work.shift], 1u);
    }
    __syncthreads();
    for (int part = threadIdx.x; part < work.parts; part += blockDim.x)
        if (counts[part] > 0) atomicAdd(&work.part_starts[part], counts[part]);
}

// A block takes a slice and copies its seeds to their parts. It counts them first, and takes room
// in each part for all that the slice has of it. Expects the end of each part in part_starts, and
// leaves where it starts. Waiting bounds it: for places in shared memory, and for room in the
// parts. The blocks that run at the same time write to neighbouring places of each part, so the
// second cache puts these together.
__global__ void divide_seeds(SeedWork work) {
    extern __shared__ uint32_t shared_words[];
    uint32_t *const places = shared_words;
    clear(places, work.parts);
    const int64_t first = int64_t(blockIdx.x) * kIndexSlice,
                  last = min(first + kIndexSlice, work.count);
    visit_values(work.buckets, first, last, [&](bool in, int64_t, int32_t bucket) {
        if (in && bucket >= 0) atomicAdd(&places[bucket >> work.shift], 1u);
    });
    __syncthreads();
    for (int part = threadIdx.x; part < work.parts; part += blockDim.x) {
        const uint32_t count = places[part];
        if (count > 0) places[part] = atomicAdd(&work.part_starts[part], 0u - count) - count;
    }
    __syncthreads();
    visit_values(work.buckets, first, last, [&](bool in, int64_t k, int32_t bucket) {
        const bool is_seed = in && bucket >= 0;
        const uint32_t place = take_place(places, is_seed ? bucket >> work.shift : -1);
        const int64_t at = work.first + k * work.seeds.reference_step;
        if (is_seed) work.divided[place] = {uint32_t(bucket), uint32_t(at)};
    });
}

// A block takes a section of a part: it counts the seeds of each bucket, writes where the buckets
// start, and then the positions of the seeds. A thread takes every kIndexThreads-th seed of the
// part. A part has one section, unless there are very many buckets. If it has more, each block
// reads the whole part. The last parts come first: the seeds of odd letters are there. All those in
// a run of N are in one bucket, and its block may take the longest. Reading and writing bound it.
__global__ void sort_parts(SeedWork work) {
    extern __shared__ uint32_t shared_words[];
    uint32_t *const places = shared_words, *const sums = shared_words + (1 << kSectionBits);
    const int lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp, warps = blockDim.x / kWarp;
    const int64_t first = (work.sections() - 1 - blockIdx.x) << work.section_bits();
    const int64_t left = work.seeds.buckets() - first;
    const int buckets = int(min(left, int64_t(1) << work.section_bits()));
    const uint32_t *const part = work.part_starts + (first >> work.shift);
    const uint32_t begin = part[0], end = part[1], first_bucket = uint32_t(first);
    // The bucket of a seed, from the first one of the section. -1 if it is not in it.
    const auto bucket_of = [&](bool in, const PageSeed &seed) {
        const uint32_t bucket = seed.bucket - first_bucket;
        return in && bucket < uint32_t(buckets) ? int32_t(bucket) : -1;
    };

    for (int k = threadIdx.x; k < buckets; k += blockDim.x) places[k] = 0;
    if (threadIdx.x == 0) sums[0] = 0;
    __syncthreads();
    uint32_t before = 0;
    visit_values(work.divided, begin, end, [&](bool in, int64_t, const PageSeed &seed) {
        const int32_t bucket = bucket_of(in, seed);
        if (bucket >= 0) atomicAdd(&places[bucket], 1u);
        before += in && seed.bucket < first_bucket;
    });
    before = sum_up_to(before);
    if (lane == kWarp - 1) atomicAdd(&sums[0], before);
    __syncthreads();

    // The counts become places. A warp takes some neighbouring buckets.
    const int of_warp = (buckets + warps - 1) / warps;
    const int from = min(warp * of_warp, buckets), to = min(from + of_warp, buckets);
    uint32_t sum = 0;
    for (int k = from + lane; k < to; k += kWarp) sum += places[k];
    sum = sum_up_to(sum);
    if (lane == kWarp - 1) sums[1 + warp] = sum;
    __syncthreads();
    uint32_t place = begin + __shfl_sync(~0u, sum_up_to(lane <= warp ? sums[lane] : 0), kWarp - 1);
    for (int k = from + lane; k - lane < to; k += kWarp) {
        const uint32_t count = k < to ? places[k] : 0;
        const uint32_t after = place + sum_up_to(count);
        if (k < to) work.starts[first + k] = places[k] = after - count;
        place = __shfl_sync(~0u, after, kWarp - 1);
    }
    if (buckets == left && threadIdx.x == 0) work.starts[first + buckets] = end;
    __syncthreads();

    visit_values(work.divided, begin, end, [&](bool in, int64_t, const PageSeed &seed) {
        const int32_t bucket = bucket_of(in, seed);
        const uint32_t at = take_place(places, bucket);
        if (bucket >= 0) work.positions[at] = seed.position;
    });
}

// A warp takes kScanTile values and writes their sum. Reading bounds it.
__global__ void sum_values(const uint32_t *values, int64_t count, uint32_t *sums) {
    const int64_t tiles = (count + kScanTile - 1) / kScanTile;
    for (int64_t tile = warp_number(); tile < tiles; tile += warp_count()) {
        uint32_t sum = 0;
        for (int k = threadIdx.x % kWarp; k < kScanTile; k += kWarp) {
            const int64_t at = tile * kScanTile + k;
            if (at < count) sum += values[at];
        }
        sum = sum_up_to(sum);
        if (threadIdx.x % kWarp == kWarp - 1) sums[tile] = sum;
    }
}

// A warp takes kScanTile values, a tile: each becomes the sum of all values up to it. sums[k] is
// the sum of all values up to the end of tile k; `sums` is not read if there is one tile. Reading
// and writing bound it.
__global__ void scan_values(uint32_t *values, int64_t count, const uint32_t *sums) {
    const int64_t tiles = (count + kScanTile - 1) / kScanTile;
    for (int64_t tile = warp_number(); tile < tiles; tile += warp_count()) {
        uint32_t before = tile == 0 ? 0 : sums[tile - 1];
        for (int k = threadIdx.x % kWarp; k < kScanTile; k += kWarp) {
            const int64_t at = tile * kScanTile + k;
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
// kMaxOrdered, they keep their places. `begin` is the position that `places` begins with.
__global__ void order_matches(const uint32_t *places, int64_t begin, const Found *matches,
                              int64_t count, Found *ordered) {
    for (int64_t k = thread_number(); k < count; k += thread_count()) {
        const Found match = matches[k];
        const uint32_t *const place = places + (match.query - begin);
        const uint32_t first = place[0], last = place[1];
        uint32_t to = first;
        if (last - first > kMaxOrdered)
            to = uint32_t(k);
        else
            for (uint32_t other = first; other < last; other++)
                to += matches[other].reference < match.reference;
        ordered[to] = match;
    }
}

}  // namespace mem
}  // namespace gkl_shim

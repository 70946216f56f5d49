// The CUDA kernels' code, compiled for the host: a loop in place of the threads. It reads pairs,
// the planes as the launcher lays them out, and prints a result a line: cuda_on_host FILE METHOD
// MODE MAX_EDITS
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#define __global__
#define __launch_bounds__(threads)
struct Index {
    unsigned x;
};
static Index blockIdx, threadIdx, gridDim = {1};
struct uint4 {
    unsigned x, y, z, w;
};
static void atomicMin(unsigned long long *at, unsigned long long value) {
    *at = std::min(*at, value);
}

#include "prefilter/cuda.cu"

using namespace gkl_shim::prefilter;

// Letters of all sequences, encoded by the kernel.
struct Side {
    std::string letters;
    std::vector<int64_t> starts;
    std::vector<int32_t> lengths;
    std::vector<uint32_t> low, high, undefined;
    uint32_t any = 0;

    void add(const std::string &sequence) {
        starts.push_back(int64_t(letters.size()));
        lengths.push_back(int32_t(sequence.size()));
        letters += sequence;
    }
    Planes encode_all() {
        const size_t words = (letters.size() + 31) / 32, room = words + 2 * kPadding;
        // What is beyond the letters is nothing in particular.
        for (auto *plane : {&low, &high, &undefined}) plane->assign(room, 0x5a5a5a5a);
        std::vector<uint4> text(2 * words);
        memcpy(text.data(), letters.data(), letters.size());
        for (size_t word = 0; word < words; word++) {
            blockIdx.x = unsigned(word / kThreads);
            threadIdx.x = unsigned(word % kThreads);
            encode(text.data(), int64_t(letters.size()), low.data() + kPadding,
                   high.data() + kPadding, undefined.data() + kPadding, &any);
        }
        return {low.data() + kPadding, high.data() + kPadding,
                any ? undefined.data() + kPadding : nullptr, int64_t(words)};
    }
    Places places() const { return {starts.data(), 0, 0, lengths.data(), 0}; }
};

template <int MODE>
static void run_exact(const Work &work, int max_edits) {
    // First in words of 32 bits, then of 64, then in blocks; each on top of the one before only
    // where that left a pair.
    std::vector<int16_t> narrow(size_t(work.count)), wide(size_t(work.count));
    Work one = work, other = work;
    one.results = narrow.data();
    other.results = wide.data();
    for (int64_t k = 0; k < work.count; k++) {
        blockIdx.x = unsigned(k / kThreads);
        threadIdx.x = unsigned(k % kThreads);
        exact<uint32_t, MODE>(one, max_edits);
        exact<uint64_t, MODE>(other, max_edits);
        work.results[k] = kTooWide;
    }
    const int64_t words = 700;
    std::vector<uint32_t> state(size_t(2 * words * kThreads));
    blockIdx.x = 0;
    for (threadIdx.x = 0; threadIdx.x < kThreads; threadIdx.x++)
        exact_blocks<MODE>(work, max_edits, state.data());
    for (int64_t k = 0; k < work.count; k++) {
        Pair pair;
        find(work, k, pair);
        // Of undefined and impossible pairs the blocks' kernel never hears.
        if (undefined(work, pair) || !band_of(MODE, pair.m, pair.n, max_edits).possible)
            work.results[k] = narrow[size_t(k)];
        const int16_t one = narrow[size_t(k)], other = wide[size_t(k)], last = work.results[k];
        if ((one != kTooWide && one != last) || (other != kTooWide && other != last)) {
            fprintf(stderr, "pair %lld: %d %d %d\n", (long long)k, one, other, last);
            exit(3);
        }
    }
}

int main(int argc, char **argv) {
    if (argc != 5) return 2;
    std::ifstream in(argv[1]);
    Side reads, segments;
    for (std::string read, segment; in >> read >> segment;) {
        reads.add(read);
        segments.add(segment);
    }
    const int64_t count = int64_t(reads.starts.size());
    std::vector<int16_t> results(size_t(count), 99);
    Work work = {};
    work.read_planes = reads.encode_all();
    work.segment_planes = segments.encode_all();
    work.reads = reads.places();
    work.segments = segments.places();
    work.results = results.data();
    work.count = count;
    const int max_edits = atoi(argv[4]);
    const std::string mode = argv[3];
    if (std::string(argv[2]) == "gatekeeper") {
        for (int64_t k = 0; k < count; k++) {
            blockIdx.x = unsigned(k / kThreads);
            threadIdx.x = unsigned(k % kThreads);
            estimate<16>(work, max_edits);
        }
    } else if (mode == "infix") {
        run_exact<kInfix>(work, max_edits);
    } else if (mode == "prefix") {
        run_exact<kPrefix>(work, max_edits);
    } else {
        run_exact<kGlobal>(work, max_edits);
    }
    for (const int16_t result : results) printf("%d\n", result);
}

// The kernels of cuda/arrays.cu, compiled for the host as a shared library. A block's threads are
// fibers, of which one runs at a time, up to the next barrier.
#include <stdint.h>
#include <string.h>
#include <strings.h>
#include <ucontext.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#define __device__
#define __global__
#define __shared__ static
#define __forceinline__ inline
#define __launch_bounds__(threads)

namespace {

struct Index {
    unsigned x, y;
};
Index blockIdx, threadIdx, blockDim, gridDim;

struct Fiber {
    ucontext_t context;
    std::unique_ptr<char[]> stack;
    bool done, said;
};
ucontext_t scheduler;
std::vector<Fiber> fibers;
std::function<void()> kernel;
bool any_said;  // at the last barrier

Fiber &self() { return fibers[threadIdx.x]; }

int __syncthreads_or(int said) {
    Fiber &fiber = self();
    fiber.said = said != 0;
    swapcontext(&fiber.context, &scheduler);
    return any_said;
}
void __syncthreads() { __syncthreads_or(0); }
int __ffsll(long long x) { return ffsll(x); }
void __threadfence() {}
template <class T>
void atomicMin(T *at, T value) {
    *at = std::min(*at, value);
}
template <class T>
T atomicAdd(T *at, T value) {
    return std::exchange(*at, *at + value);
}
unsigned long long atomicExch(unsigned long long *at, unsigned long long value) {
    return std::exchange(*at, value);
}

void run_fiber() {
    kernel();
    self().done = true;
    swapcontext(&self().context, &scheduler);
}

void run_block(unsigned threads) {
    if (fibers.size() < threads) fibers.resize(threads);
    for (unsigned k = 0; k < threads; k++) {
        Fiber &fiber = fibers[k];
        const size_t size = 1 << 16;
        if (!fiber.stack) fiber.stack.reset(new char[size]);
        fiber.done = fiber.said = false;
        getcontext(&fiber.context);
        fiber.context.uc_stack.ss_sp = fiber.stack.get();
        fiber.context.uc_stack.ss_size = size;
        fiber.context.uc_link = nullptr;
        makecontext(&fiber.context, run_fiber, 0);
    }
    for (bool left = true; left;) {
        left = false;
        bool said = false;
        for (unsigned k = 0; k < threads; k++) {
            if (fibers[k].done) continue;
            threadIdx.x = k;
            swapcontext(&scheduler, &fibers[k].context);
            said = said || fibers[k].said;
            left = left || !fibers[k].done;
        }
        any_said = said;
    }
}

// Parameters as cuLaunchKernel() takes them.
template <class... Parameters, size_t... k>
void launch(unsigned x, unsigned y, unsigned threads, void (*what)(Parameters...),
            void *const *parameters, std::index_sequence<k...>) {
    static std::mutex one_at_a_time;
    const std::lock_guard<std::mutex> lock(one_at_a_time);
    kernel = [=] { what(*static_cast<Parameters *>(parameters[k])...); };
    gridDim = {x, y};
    blockDim = {threads, 1};
    for (blockIdx.y = 0; blockIdx.y < y; blockIdx.y++)
        for (blockIdx.x = 0; blockIdx.x < x; blockIdx.x++) run_block(threads);
}
template <class... Parameters>
void launch(unsigned x, unsigned y, unsigned threads, void (*what)(Parameters...),
            void *const *parameters) {
    launch(x, y, threads, what, parameters, std::index_sequence_for<Parameters...>());
}

}  // namespace

#include "pairhmm/cuda/arrays.cu"

#define LAUNCH(name)                                                        \
    extern "C" void launch_##name(unsigned x, unsigned y, unsigned threads, \
                                  void *const *parameters) {                \
        launch(x, y, threads, name, parameters);                            \
    }
LAUNCH(pairhmm_first_wrong)
LAUNCH(pairhmm_common_prefixes)
LAUNCH(pairhmm_fetch)

extern "C" size_t size_of_faults() { return sizeof(Faults); }

// What the pairs' kernels would see of a block: a haplotype of a region, its tail as it is read
// backwards; and a tile's read. The functions return a length; -1: there is no such thing.
namespace {

template <class A>
const A *array(const uint8_t *block, int64_t offset) {
    return reinterpret_cast<const A *>(block + offset);
}

const ChunkHeader &header_of(const uint8_t *block) {
    return *reinterpret_cast<const ChunkHeader *>(block);
}

void walk(const uint8_t *block, const TrieRecord &trie, std::map<int32_t, std::string> *states) {
    std::string in_hand;
    const Event *event = array<Event>(block, trie.events);
    for (uint32_t at = trie.columns; at <= trie.columns + uint32_t(trie.length); at++) {
        for (; event->at == at; event++) {
            const int32_t store = store_of(event->what), load = load_of(event->what);
            const int32_t letter = letter_of(event->what);
            if (store >= 0) (*states)[store] = letter < 0 ? in_hand : in_hand + "ACGTN"[letter];
            // Nobody keeps the state before the first column.
            if (load >= 0) in_hand = states->count(load) ? states->at(load) : std::string();
        }
        in_hand += at < trie.columns + uint32_t(trie.length) ? "ACGTN"[block[at]] : ' ';
    }
    if (event->at != kNoEvent) states->clear();
}

}  // namespace

extern "C" int64_t haplotype_half(const uint8_t *block, int region, int haplotype, int tail,
                                  char *letters) {
    const ChunkHeader &header = header_of(block);
    const RegionRecord &here = array<RegionRecord>(block, header.regions)[region];
    if (haplotype >= here.haplotype_count) return -1;
    const TrieRecord *tries =
        array<TrieRecord>(block, header.tries) + here.tries + (tail ? here.heads : 0);
    std::map<int32_t, std::string> states;
    for (int k = 0; k < (tail ? here.tails : here.heads); k++) walk(block, tries[k], &states);
    const HaplotypeRecord &record =
        array<HaplotypeRecord>(block, header.haplotypes)[here.haplotypes + haplotype];
    const auto found = states.find(tail ? record.tail : record.head);
    if (found == states.end()) return -1;
    memcpy(letters, found->second.data(), found->second.size());
    return int64_t(found->second.size());
}

// `result` is that of the read and its region's first haplotype; `tracks` receives its bases, and
// its qualities of each kind.
extern "C" int64_t tile_read(const uint8_t *block, int tile, int read, int64_t *region,
                             int64_t *result, uint8_t *tracks) {
    const ChunkHeader &header = header_of(block);
    const TileRecord &here = array<TileRecord>(block, header.tiles)[tile];
    if (read >= here.reads) return -1;
    const ReadRecord &record = array<ReadRecord>(block, header.reads)[here.first_read + read];
    const RegionRecord &its_region = array<RegionRecord>(block, header.regions)[here.region];
    *region = here.region;
    *result = its_region.out + int64_t(record.row) * its_region.haplotype_count;
    for (const int64_t track :
         {header.bases, header.base_quals, header.insertion_quals, header.deletion_quals})
        tracks = std::copy_n(block + track + record.start, record.length, tracks);
    for (int k = 0; k < record.length; k++)
        *tracks++ =
            block[header.continuation_quals + ((record.start + k) & header.continuation_mask)];
    return record.length;
}

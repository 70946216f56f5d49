// CUDA on the host: each lane of a warp is a fiber.
//
// Include this, then a kernel file, and launch its kernels with run(). One lane runs at a time, up
// to the next collective of its warp (a shuffle, a vote, a barrier). Blocks run one after another.
// A block has one warp, unless blockDim says otherwise. Then one warp runs at a time, up to the
// next barrier of the block. If lanes of a warp reach different collectives, the process ends: on a
// GPU they would hang or mix up values.
#pragma once

#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <utility>

// GCC and clang say differently that ASan is on.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SWITCHES_ARE_TOLD
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define SWITCHES_ARE_TOLD
#endif
#ifdef SWITCHES_ARE_TOLD
#include <dlfcn.h>
#include <sanitizer/common_interface_defs.h>
#endif

#define __device__
#define __global__
#define __host__
#define __shared__
#define __forceinline__ inline
#define __noinline__
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __launch_bounds__(...)

// Fuzzing looks for input that takes new ways through the kernels, not through this file.
#ifdef __clang__
#pragma clang attribute push(__attribute__((no_sanitize("coverage"))), apply_to = function)
#endif

namespace {

using std::max;
using std::min;

struct Index {
    unsigned x, y;
};
enum { kLanes = 32, kMaxThreads = 4 * kLanes };
Index blockIdx, threadIdx, gridDim, blockDim = {kLanes, 1};

enum class Collective { kNone, kBarrier, kShuffle, kVote, kMinimum, kBarrierOfBlock, kEnd };

struct Fiber {
    ucontext_t start;
    jmp_buf place;
    std::unique_ptr<char[]> stack;
    bool started;
    Collective collective;
};
constexpr size_t kStack = 1 << 17;
Fiber fibers[kMaxThreads];
jmp_buf scheduler;
std::function<void()> kernel;

// Tell ASan that the stack changes, or else it checks against the wrong one.
#ifdef SWITCHES_ARE_TOLD
const void *scheduler_stack;
size_t scheduler_size;

void leave_for(const void *stack, size_t size) {
    void *saved;  // only calls that return need what ASan saves here, if it looks for uses of
                  // frames that have ended
    __sanitizer_start_switch_fiber(&saved, stack, size);
}
void leave_for_scheduler() { leave_for(scheduler_stack, scheduler_size); }
void arrive_in_fiber() {
    __sanitizer_finish_switch_fiber(nullptr, &scheduler_stack, &scheduler_size);
}
void arrive_in_scheduler() { __sanitizer_finish_switch_fiber(nullptr, nullptr, nullptr); }

// The C library's own: ASan's marks the stack as unused first, which takes most of the time.
void jump(jmp_buf place) {
    static const auto own = reinterpret_cast<void (*)(jmp_buf, int)>(dlsym(RTLD_NEXT, "_longjmp"));
    own(place, 1);
}
#else
void leave_for(const void *, size_t) {}
void leave_for_scheduler() {}
void arrive_in_fiber() {}
void arrive_in_scheduler() {}
void jump(jmp_buf place) { _longjmp(place, 1); }
#endif

// What each lane contributes to a collective. A lane may reach the next collective before another
// lane has read the values of this one, so collectives alternate between two sets.
uint64_t contributed[2][kMaxThreads];
unsigned collectives[kMaxThreads];

void run_fiber() {
    arrive_in_fiber();
    kernel();
    fibers[threadIdx.x].collective = Collective::kEnd;
    leave_for_scheduler();
    jump(scheduler);
}

// Waits until all lanes have arrived. Returns what they contributed.
const uint64_t *exchange(Collective collective, uint64_t mine) {
    const unsigned thread = threadIdx.x, set = collectives[thread]++ % 2;
    contributed[set][thread] = mine;
    fibers[thread].collective = collective;
    if (_setjmp(fibers[thread].place) == 0) {
        leave_for_scheduler();
        jump(scheduler);
    }
    arrive_in_fiber();
    return &contributed[set][thread / kLanes * kLanes];
}

// Runs a lane until its next collective, or to its end.
void resume(unsigned thread) {
    threadIdx.x = thread;
    if (_setjmp(scheduler) != 0) return arrive_in_scheduler();
    leave_for(fibers[thread].stack.get(), kStack);
    if (fibers[thread].started) jump(fibers[thread].place);
    fibers[thread].started = true;
    setcontext(&fibers[thread].start);
}

void make_fiber(Fiber *fiber) {
    if (!fiber->stack) fiber->stack.reset(new char[kStack]);
    getcontext(&fiber->start);
    fiber->start.uc_stack.ss_sp = fiber->stack.get();
    fiber->start.uc_stack.ss_size = kStack;
    fiber->start.uc_link = nullptr;
    makecontext(&fiber->start, run_fiber, 0);
    fiber->started = false;
    fiber->collective = Collective::kNone;
}

// Runs a warp until the next barrier of the block, or to its end. Returns whether it has ended.
bool run_warp(Fiber *warp) {
    while (warp->collective != Collective::kEnd) {
        for (unsigned lane = 0; lane < kLanes; lane++) resume(unsigned(warp - fibers) + lane);
        for (unsigned lane = 0; lane < kLanes; lane++)
            if (warp[lane].collective != warp->collective) {
                fprintf(stderr, "lanes of a warp diverge: collectives %d and %d\n",
                        int(warp->collective), int(warp[lane].collective));
                abort();
            }
        if (warp->collective == Collective::kBarrierOfBlock) return false;
    }
    return true;
}

// In every other block the last warp runs first, so that a barrier that is missing shows.
void run_block() {
    for (unsigned thread = 0; thread < blockDim.x; thread++) make_fiber(&fibers[thread]);
    const unsigned warps = blockDim.x / kLanes;
    for (bool ended = false; !ended;) {
        ended = true;
        for (unsigned k = 0; k < warps; k++)
            ended &= run_warp(&fibers[(blockIdx.x % 2 ? warps - 1 - k : k) * kLanes]);
    }
}

template <class Kernel>
void run(unsigned x, unsigned y, const Kernel &what) {
    kernel = what;
    gridDim = {x, y};
    for (blockIdx.y = 0; blockIdx.y < y; blockIdx.y++)
        for (blockIdx.x = 0; blockIdx.x < x; blockIdx.x++) run_block();
}

// Passes parameters as cuLaunchKernel() takes them.
template <class... Parameters, size_t... k>
void launch(unsigned x, unsigned y, void (*what)(Parameters...), void *const *parameters,
            std::index_sequence<k...>) {
    run(x, y, [=] { what(*static_cast<Parameters *>(parameters[k])...); });
}
template <class... Parameters>
void launch(unsigned x, unsigned y, void (*what)(Parameters...), void *const *parameters) {
    launch(x, y, what, parameters, std::index_sequence_for<Parameters...>());
}

template <class To, class From>
To bits_as(From from) {
    static_assert(sizeof(To) <= 8 && sizeof(From) <= 8, "a register or two");
    To to = {};
    memcpy(&to, &from, sizeof to < sizeof from ? sizeof to : sizeof from);
    return to;
}
template <class T>
T from_lane(T x, unsigned lane) {
    const uint64_t *all = exchange(Collective::kShuffle, bits_as<uint64_t>(x));
    return bits_as<T>(all[lane < kLanes ? lane : threadIdx.x % kLanes]);
}

template <class T>
T __shfl_sync(unsigned, T x, int lane) {
    return from_lane(x, unsigned(lane) % kLanes);
}
template <class T>
T __shfl_up_sync(unsigned, T x, unsigned by) {
    return from_lane(x, threadIdx.x % kLanes - by);
}
template <class T>
T __shfl_down_sync(unsigned, T x, unsigned by) {
    return from_lane(x, threadIdx.x % kLanes + by);
}
inline void __syncwarp() { exchange(Collective::kBarrier, 0); }
inline bool __all_sync(unsigned, bool x) {
    const uint64_t *all = exchange(Collective::kVote, x);
    return std::all_of(all, all + kLanes, [](uint64_t each) { return each != 0; });
}
inline bool __any_sync(unsigned, bool x) {
    const uint64_t *all = exchange(Collective::kVote, x);
    return std::any_of(all, all + kLanes, [](uint64_t each) { return each != 0; });
}
inline unsigned __ballot_sync(unsigned, bool x) {
    const uint64_t *all = exchange(Collective::kVote, x);
    unsigned set = 0;
    for (unsigned lane = 0; lane < kLanes; lane++) set |= unsigned(all[lane] != 0) << lane;
    return set;
}
inline void __syncthreads() { exchange(Collective::kBarrierOfBlock, 0); }
inline unsigned __reduce_min_sync(unsigned, unsigned x) {
    const uint64_t *all = exchange(Collective::kMinimum, x);
    return unsigned(*std::min_element(all, all + kLanes));
}
template <class T>
T atomicAdd(T *at, T value) {
    return std::exchange(*at, T(*at + value));
}
template <class T>
T atomicCAS(T *at, T expected, T value) {
    return *at == expected ? std::exchange(*at, value) : *at;
}
inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __clz(int x) { return x ? __builtin_clz(unsigned(x)) : 32; }
inline unsigned __brev(unsigned x) {
    unsigned reversed = 0;
    for (int bit = 0; bit < 32; bit++) reversed |= (x >> bit & 1) << (31 - bit);
    return reversed;
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned by) {
    return unsigned((uint64_t(high) << 32 | low) >> by % 32);
}
inline float __fmaf_rn(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline double __fma_rn(double a, double b, double c) { return __builtin_fma(a, b, c); }

}  // namespace

#ifdef __clang__
#pragma clang attribute pop
#endif

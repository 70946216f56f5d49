// The process's thread pool. All handles share it. Threads start when they are first needed and
// sleep while there is no work.
//
// Waking a thread takes 5 to 100 us, the longer times in virtual machines: as long as a small
// region takes to compute. Workers therefore spin for a short time after each job when a program
// makes many calls in quick succession (bulk callers do; GATK works between its calls).
//
// GATK's own threads compete for the same cores, and in Spark many callers do. The pool never has
// more workers than the number of CPUs available to the process minus one (the caller works too),
// however many calls are in flight.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <algorithm>
#include <atomic>

namespace gkl_shim {

// Starts a detached thread in the library's floating-point mode, with all signals blocked: they
// belong to the program's own threads (the JVM's, Python's). Returns 0 or an errno. A `stack_bytes`
// of 0 means the system's default.
int start_thread(void *(*run)(void *argument), void *argument, size_t stack_bytes = 0);

// Tells the CPU that this thread is spinning.
inline void relax() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

// How many threads, including the caller and at most `most`, should share work that takes one
// thread `nanoseconds`. Counts the cost of waking sleeping threads.
int threads_for(int64_t nanoseconds, int most);

// Whether the caller makes more calls of parallel_for() at once. Workers then spin after the first.
enum class Calls { kOne, kSeveral };

// A function that parallel_for() calls, without its type.
struct ParallelTask {
    void (*call)(const void *function, int64_t k);
    const void *function;
};
void run_in_parallel(int64_t count, int64_t nanoseconds, int most, Calls calls, ParallelTask task);

// Calls task(k) once for every k in [0, count) on threads_for(nanoseconds, most) threads and
// returns when all calls have returned. If one throws, no further task starts, and the first
// exception is rethrown here after all threads have left. The caller's interrupt
// function can end it early (interrupt.h). If the system refuses to start a thread, the others do
// its work.
template <class Task>
void parallel_for(int64_t count, int64_t nanoseconds, int most, Calls calls, const Task &task) {
    const auto call = [](const void *function, int64_t k) {
        (*static_cast<const Task *>(function))(k);
    };
    run_in_parallel(count, nanoseconds, most, calls, {call, &task});
}
template <class Task>
void parallel_for(int64_t count, int64_t nanoseconds, int most, const Task &task) {
    parallel_for(count, nanoseconds, most, Calls::kOne, task);
}

// Calls task(begin, end) for ranges of `size` elements, which together make up [0, count).
template <class Task>
void parallel_for_ranges(int64_t count, int64_t size, int64_t nanoseconds, int most, Calls calls,
                         const Task &task) {
    parallel_for((count + size - 1) / size, nanoseconds, most, calls, [&](int64_t k) {
        const int64_t begin = k * size;
        task(begin, std::min(begin + size, count));
    });
}
template <class Task>
void parallel_for_ranges(int64_t count, int64_t size, int64_t nanoseconds, int most,
                         const Task &task) {
    parallel_for_ranges(count, size, nanoseconds, most, Calls::kOne, task);
}

// The first of the indices that several threads add.
class FirstIndex {
   public:
    void add(int64_t index) {
        int64_t first = first_.load();
        while (index < first && !first_.compare_exchange_weak(first, index)) {
        }
    }
    // -1 if none was added.
    int64_t get() const { return first_ == INT64_MAX ? -1 : first_.load(); }

   private:
    std::atomic<int64_t> first_{INT64_MAX};
};

}  // namespace gkl_shim

// The process's threads: shared by every handle, started when first needed, asleep while there is
// no work.
//
// Waking a sleeper takes some 10 us, and in a virtual machine 50 and more, as long as a small
// region takes to compute. Where calls follow one another within that time (many regions in a row,
// not GATK, which has other things to do in between) the workers stay awake for it, and no longer;
// and as many are woken as there is work for, which pays with the calls to come.
//
// GATK's own threads, and in Spark many callers at once, compete for the same cores: there are
// never more workers than the process may use CPUs less one (the caller works too), however many
// calls are under way.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <atomic>

namespace gkl_shim {

// Starts a detached thread in the usual floating-point mode. It takes no signals: these belong to
// the program's own threads (the JVM's, Python's). Returns an errno. `stack_bytes` 0: the system's
// default.
int start_thread(void *(*run)(void *argument), void *argument, size_t stack_bytes = 0);

// What a thread does between two looks at what it waits for.
inline void relax() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

// As many threads, the calling one included and `most` at most, as work is worth that takes one
// thread so long: fewer where they would have to be woken first.
int threads_for(int64_t nanoseconds, int most);

// Whether so many threads, the calling one included, are awake.
bool at_hand(int threads);

// Call task(context, k) once for every k in [0, count), on threads_for() threads. Returns when all
// are done. Where one throws, no other is begun, and the exception comes to the caller once all
// threads have left. Where the system refuses a thread the others do its work.
// `in_a_row`: more such calls follow at once, so that workers stay awake for them from the first.
// `first`: what the calling thread does before its tasks, while others are at theirs already.
void parallel_for(int64_t count, int64_t nanoseconds, int most,
                  void (*task)(void *context, int64_t k), void *context, bool in_a_row = false,
                  void (*first)(void *context) = nullptr);

// Until another thread, which is at it, has done what it then sets.
void wait_for(const std::atomic<bool> &done);

}  // namespace gkl_shim

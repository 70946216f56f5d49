// The lines that are logged when the process ends: what was computed, and how long it took.
#pragma once

#include <stdint.h>

#include <atomic>
#include <string>

namespace gkl_shim {
namespace jni {

// Runs work() and drops its exceptions, such as std::bad_alloc, where no caller can handle them.
template <class Work>
void quietly(Work work) noexcept {
    try {
        work();
    } catch (...) {
    }
}

// Totals over all callers of an algorithm. Any thread may add to them.
class CallTotals {
   public:
    // Adds a call that took `seconds` as seen by Java. Returns the call's number, counted from 1.
    int64_t add(int64_t pairs, int64_t cells, double seconds) {
        pairs_.fetch_add(pairs, std::memory_order_relaxed);
        cells_.fetch_add(cells, std::memory_order_relaxed);
        nanoseconds_.fetch_add(int64_t(seconds * 1e9), std::memory_order_relaxed);
        return calls_.fetch_add(1, std::memory_order_relaxed) + 1;
    }

    int64_t calls() const { return calls_; }

    // The closing line, such as "2 regions, 6 pairs, 600 cells in 0.01 s, 0.06 GCUPS, 1.00% of the
    // run's 1.0 CPU seconds". `call` names what one call computes, such as "region".
    std::string line(const char *call) const;

   private:
    std::atomic<int64_t> calls_{0}, pairs_{0}, cells_{0}, nanoseconds_{0};
};

}  // namespace jni
}  // namespace gkl_shim

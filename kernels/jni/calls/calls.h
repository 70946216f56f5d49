// What all algorithms do for their calls from Java: the log's first and last lines, totals, a
// recording, and verification.
#pragma once

#include <stdint.h>
#include <stdlib.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "common/floating_point_mode.h"
#include "jni/recording/recorder.h"
#include "jni/recording/verification.h"
#include "jni/settings/log.h"
#include "jni/settings/settings.h"

namespace gkl_shim::jni {

// The words of one algorithm in the log.
struct CallTexts {
    const char *title;        // of the algorithm
    const char *call;         // what a call computes
    const char *record;       // what a record of a recording holds
    const char *setting;      // turns the algorithm off
    const char *verified_by;  // how a verified call is computed the second time
    const char *verified;     // the same, in the closing line
    const char *idle;         // the closing line of a run without calls
};

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

// What an algorithm adds to its closing lines: of the recording, such as " (2 qualities above 93
// written as 93)", of verification, and of the totals.
struct ClosingDetails {
    std::string recording, verification, totals;
};

// The calls of one algorithm. There is one object a process, which is never destroyed: Java threads
// may still compute while the process ends. Any thread may use it.
class Calls {
   public:
    // `record_file` is the value of `record_setting`, or empty. The process calls at_end(), which
    // calls report(), when it ends. A Java shutdown hook would not do. With the library-path swap
    // none of the Java code is ours, and other shutdown hooks may still compute.
    Calls(const CallTexts &texts, const std::string &record_file, const char *record_setting,
          void (*at_end)())
        : texts_(texts),
          record_file_(record_file),
          record_setting_(record_setting),
          at_end_(at_end),
          verification_(texts.title, texts.call) {}

    // Whether the first lines are written.
    bool announced() const { return announced_.load(std::memory_order_acquire); }

    // Writes the first lines to the log, unless they are written already. log_start() writes those
    // that say what computes.
    template <class LogStart>
    void announce(LogStart log_start) {
        if (announced()) return;
        const std::lock_guard<std::mutex> lock(announcing_);
        if (announced()) return;
        open_recording();
        if (settings().log != LogLevel::kQuiet) {
            log_start();
            log_extras();
        }
        announced_.store(true, std::memory_order_release);
        atexit(at_end_);
    }

    // Accounts for a call that took `seconds` as seen by Java. record(recorder) records it, and
    // difference() computes it a second time and returns how the results differ, or "".
    template <class Record, class Difference>
    void account(int64_t pairs, int64_t cells, double seconds, Record record,
                 Difference difference) {
        const int64_t number = totals_.add(pairs, cells, seconds);
        if (recorder_)
            without_failing(texts_.title, texts_.call, number, [&] { record(recorder_.get()); });
        if (settings().verify > 0 && number % settings().verify == 0)
            verification_.verify(number, difference);
    }

    // Writes the closing lines to the log. details() returns what the algorithm adds to them.
    template <class Details>
    void report(Details details) noexcept {
        const FloatingPointMode mode;
        quietly([&] { write_closing_lines(details()); });
    }

   private:
    void open_recording();
    void log_extras() const;
    void write_closing_lines(const ClosingDetails &details);
    void log_verified(const std::string &detail);
    std::string title() const { return texts_.title; }

    const CallTexts texts_;
    const std::string record_file_;
    const char *const record_setting_;
    void (*const at_end_)();
    std::mutex announcing_;
    std::atomic<bool> announced_{false};
    CallTotals totals_;
    std::unique_ptr<Recorder> recorder_;  // null if there is no recording
    Verification verification_;
};

}  // namespace gkl_shim::jni

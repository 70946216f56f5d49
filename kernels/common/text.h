// Texts of lines, read on several threads.
//
// A text is cut into pieces. A line belongs to the piece in which it ends; counting the pieces'
// line ends tells which lines these are, and then all pieces are read at once.
#pragma once

#include <stdint.h>
#include <string.h>

#include <algorithm>
#include <atomic>
#include <vector>

#include "common/error.h"
#include "common/thread_pool.h"

namespace gkl_shim {

// A line without its newline. Checks return false for a malformed line and set an error message
// only if `loud`: messages belong to a thread, and the thread that finds a fault is often not the
// one that reports it. That one checks the line again, loudly.
struct Line {
    const uint8_t *begin, *end;
    bool loud;

    template <class... Arguments>
    bool wrong(const char *format, Arguments... arguments) const {
        return loud && fail(format, arguments...);
    }
};

// The whole lines of a text: what follows the last newline is left out.
class Lines {
   public:
    // Counts the lines, on at most `threads` threads. Throws std::bad_alloc.
    Lines(const uint8_t *text, int64_t size, int threads);

    int64_t count() const { return first_.back(); }

    // Where line k starts. For k == count(): where the last line ends.
    const uint8_t *start(int64_t k) const;

    // Line k, with error messages on.
    Line loud(int64_t k) const { return {start(k), start(k + 1) - 1, true}; }

    // Calls parse(line, k) for the first `most` lines. Returns the number of lines before the first
    // one that parse() rejected; it may have seen later lines too. parse() must not throw.
    template <class Parse>
    int64_t parse(int64_t most, const Parse &parse) const {
        struct Job {
            const Lines &lines;
            const Parse &parse;
            std::atomic<int64_t> good;
        };
        Job job = {*this, parse, {std::min(most, count())}};
        parallel_for(
            pieces(), size_ / kReadPerNanosecond, threads_,
            [](void *context, int64_t piece) {
                Job &job = *static_cast<Job *>(context);
                int64_t good = job.good.load();
                int64_t k = job.lines.first_[size_t(piece)];
                const int64_t end = std::min(good, job.lines.first_[size_t(piece + 1)]);
                if (k >= end) return;
                const uint8_t *line = job.lines.text_ + piece * kPiece;
                while (line > job.lines.text_ && line[-1] != '\n') line--;
                for (; k < end; k++) {
                    const uint8_t *newline = job.lines.newline(line);
                    if (!job.parse(Line{line, newline, false}, k)) break;
                    line = newline + 1;
                }
                while (k < end && k < good && !job.good.compare_exchange_weak(good, k)) {
                }
            },
            &job);
        return job.good;
    }

   private:
    static constexpr int64_t kPiece = int64_t(1) << 18;
    // About how fast one thread reads.
    static constexpr int64_t kReadPerNanosecond = 4;

    int64_t pieces() const { return int64_t(first_.size()) - 1; }
    const uint8_t *newline(const uint8_t *from) const {
        return static_cast<const uint8_t *>(memchr(from, '\n', size_t(text_ + size_ - from)));
    }

    const uint8_t *const text_;
    const int64_t size_;
    const int threads_;
    std::vector<int64_t> first_;  // of each piece, the first line that ends in it; and then all
};

}  // namespace gkl_shim

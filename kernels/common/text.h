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

// A line without its end. Checks that parse one return false, with a message only where `loud`:
// messages belong to a thread, and the one that may show them is not the one that found the fault.
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
    // Counts them on at most so many threads. Throws std::bad_alloc.
    Lines(const uint8_t *text, int64_t size, int threads);

    int64_t count() const { return first_.back(); }

    // Where line k starts; of k == count(), where the last line ends.
    const uint8_t *start(int64_t k) const;

    // Line k, for a check that is to say what is wrong with it.
    Line loud(int64_t k) const { return {start(k), start(k + 1) - 1, true}; }

    // Calls parse(line, k) for line k, for the first `most` lines at most. Returns how many come
    // before the first that it refused; it may have seen later ones. It must not throw.
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
    // About what one thread reads.
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

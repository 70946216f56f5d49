// Reads text line by line, on several threads.
//
// A text is cut into pieces. A line belongs to the piece in which it ends. Counting the newlines of
// all pieces gives the number of each piece's first line; then all pieces are read in parallel.
#pragma once

#include <stdint.h>
#include <string.h>

#include <algorithm>
#include <vector>

#include "common/error.h"
#include "common/thread_pool.h"

namespace gkl_shim {

// A line without its newline. A check returns false if the line is malformed. It sets an error
// message only if it `reports`: messages belong to a thread, and the thread that finds an error is
// often not the one that reports it. The reporting thread checks the line again, with `reports`
// set.
struct Line {
    const uint8_t *begin, *end;
    bool reports;

    template <class... Arguments>
    bool wrong(const char *format, Arguments... arguments) const {
        return reports && fail(format, arguments...);
    }
};

// The complete lines of a text. Text after the last newline is ignored.
class Lines {
   public:
    // Counts the lines, on at most `threads` threads. Throws std::bad_alloc.
    Lines(const uint8_t *text, int64_t size, int threads);

    int64_t count() const { return first_.back(); }

    // The start of line k. For k == count(), the end of the last line.
    const uint8_t *start(int64_t k) const;

    // Line k, with error messages enabled.
    Line reporting(int64_t k) const { return {start(k), start(k + 1) - 1, true}; }

    // Calls parse(line, k) for the first `most` lines. Returns the number of lines before the first
    // one that parse() rejected; it may have seen later lines too. parse() must not throw.
    template <class Parse>
    int64_t parse(int64_t most, const Parse &parse) const {
        const int64_t all = std::min(most, count());
        FirstIndex rejected;
        const auto good = [&] { return rejected.get() < 0 ? all : rejected.get(); };
        parallel_for(pieces(), size_ / kReadPerNanosecond, threads_, [&](int64_t piece) {
            int64_t k = first_[size_t(piece)];
            const int64_t end = std::min(good(), first_[size_t(piece + 1)]);
            if (k >= end) return;
            const uint8_t *line = text_ + piece * kPiece;
            while (line > text_ && line[-1] != '\n') line--;
            for (; k < end; k++) {
                const uint8_t *end_of_line = newline(line);
                if (!parse(Line{line, end_of_line, false}, k)) break;
                line = end_of_line + 1;
            }
            if (k < end) rejected.add(k);
        });
        return good();
    }

   private:
    static constexpr int64_t kPiece = int64_t(1) << 18;
    // The approximate speed of one thread, in bytes.
    static constexpr int64_t kReadPerNanosecond = 4;

    int64_t pieces() const { return int64_t(first_.size()) - 1; }
    const uint8_t *newline(const uint8_t *from) const {
        return static_cast<const uint8_t *>(memchr(from, '\n', size_t(text_ + size_ - from)));
    }

    const uint8_t *const text_;
    const int64_t size_;
    const int threads_;
    std::vector<int64_t>
        first_;  // the first line that ends in each piece, and the number of lines at the end
};

}  // namespace gkl_shim

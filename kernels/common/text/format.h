// Writes text on several threads.
#pragma once

#include <stdint.h>

#include <algorithm>
#include <vector>

#include "common/thread_pool.h"

namespace gkl_shim {

// Writes `count` elements one after the other to `text`. write(k, to) writes element k, and returns
// the end of it. room(k) is the most bytes that the elements before k take; `text` has room
// for room(count). `nanoseconds` is the time of one thread for an element.
// Returns the end of the text. Throws std::bad_alloc.
template <class Room, class Write>
char *format_all(int64_t count, int64_t nanoseconds, int threads, char *text, const Room &room,
                 const Write &write) {
    constexpr int64_t kTogether = 2048;  // elements that a thread writes at a time
    const int64_t pieces = (count + kTogether - 1) / kTogether;
    std::vector<char *> ends(static_cast<size_t>(pieces));
    parallel_for_ranges(count, kTogether, count * nanoseconds, threads,
                        [&](int64_t first, int64_t last) {
                            char *to = text + room(first);
                            for (int64_t k = first; k < last; k++) to = write(k, to);
                            ends[size_t(first / kTogether)] = to;
                        });
    char *end = text;
    for (int64_t piece = 0; piece < pieces; piece++)
        end = std::copy(text + room(piece * kTogether), ends[size_t(piece)], end);
    return end;
}

}  // namespace gkl_shim

// Divides queries into chunks.
#pragma once

#include <stdint.h>

#include <algorithm>
#include <vector>

#include "mem/text/text.h"

namespace gkl_shim::mem {

// Positions of a strand's text. They hold whole queries, or a part of one, so the chunk has the
// same letters in both strands, or letters of the same query.
struct Chunk {
    int64_t begin, end;
};

// Divides the positions [first, last) into chunks of `letters` at most. `starts` are those of the
// queries.
inline std::vector<Chunk> chunks_of(const SequenceStarts &starts, int64_t first, int64_t last,
                                    int64_t letters) {
    std::vector<Chunk> chunks;
    for (int64_t begin = first; begin < last;) {
        const int64_t query = starts.sequence_at(begin);
        const int64_t next = starts.sequence_at(begin + letters);
        int64_t end;
        if (starts[query] == begin && next > query) {
            end = std::min(starts[next], last);
        } else {
            // A long query is divided evenly.
            const int64_t left = std::min(starts[query + 1], last) - begin;
            const int64_t parts = (left + letters - 1) / letters;
            end = begin + (left + parts - 1) / parts;
        }
        chunks.push_back({begin, end});
        begin = end;
    }
    return chunks;
}

}  // namespace gkl_shim::mem

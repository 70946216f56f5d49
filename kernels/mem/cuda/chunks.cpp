#include "mem/cuda/chunks.h"

#include <algorithm>

namespace gkl_shim {
namespace mem {

std::vector<Chunk> chunks_of(const int64_t *offsets, int64_t count, int64_t first, int64_t last,
                             int64_t letters) {
    std::vector<Chunk> chunks;
    const auto start = [&](int64_t query) { return offsets[query] + query; };
    // The last query that starts at a position or before it.
    const auto query_at = [&](int64_t position) {
        return std::partition_point(
                   offsets, offsets + count + 1,
                   [&](const int64_t &offset) { return start(&offset - offsets) <= position; }) -
               offsets - 1;
    };
    for (int64_t begin = first; begin < last;) {
        const int64_t query = query_at(begin), next = query_at(begin + letters);
        int64_t end;
        if (start(query) == begin && next > query) {
            end = std::min(start(next), last);
        } else {
            // A long query is divided evenly.
            const int64_t left = std::min(start(query + 1), last) - begin;
            const int64_t parts = (left + letters - 1) / letters;
            end = begin + (left + parts - 1) / parts;
        }
        chunks.push_back({begin, end});
        begin = end;
    }
    return chunks;
}

}  // namespace mem
}  // namespace gkl_shim

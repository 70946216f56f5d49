// Divides queries into chunks.
#pragma once

#include <stdint.h>

#include <vector>

namespace gkl_shim {
namespace mem {

// Positions of a strand's text. They hold whole queries, or a part of one, so the chunk has the
// same letters in both strands, or letters of the same query.
struct Chunk {
    int64_t begin, end;
};

// Divides the positions [first, last) into chunks of `letters` at most.
std::vector<Chunk> chunks_of(const int64_t *offsets, int64_t count, int64_t first, int64_t last,
                             int64_t letters);

}  // namespace mem
}  // namespace gkl_shim

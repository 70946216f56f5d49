// Divides queries into chunks.
#pragma once

#include <stdint.h>

#include <vector>

#include "mem/text/text.h"

namespace gkl_shim {
namespace mem {

// Positions of a strand's text. They hold whole queries, or a part of one, so the chunk has the
// same letters in both strands, or letters of the same query.
struct Chunk {
    int64_t begin, end;
};

// Divides the positions [first, last) into chunks of `letters` at most. `starts` are those of the
// queries.
std::vector<Chunk> chunks_of(const SequenceStarts &starts, int64_t first, int64_t last,
                             int64_t letters);

}  // namespace mem
}  // namespace gkl_shim

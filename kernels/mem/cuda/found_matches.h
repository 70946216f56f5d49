// Matches as a device found them.
#pragma once

#include <stdint.h>

#include "mem/cuda/work.h"
#include "mem/matches.h"
#include "mem/text/text.h"

namespace gkl_shim::mem {

// They are in the order of their positions in the queries.
struct FoundMatches {
    const Found *matches;
    int64_t count;
    // Where the parts of the texts on the device begin, and where they end if the texts go on
    // there. A match that ends there may go on, too.
    int64_t reference_origin, query_origin, reference_cut, query_cut;

    // The first match that starts at a position of the queries or after it.
    int64_t first_from(int64_t position) const;
    // Converts the matches [first, last), which become sorted.
    void convert(int64_t first, int64_t last, const TextSource &reference,
                 const TextSource &queries, Match *out) const;
};

}  // namespace gkl_shim::mem

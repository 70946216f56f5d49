// The CPU engine: looks up the seeds of queries, and compares the letters around them.
#pragma once

#include "mem/cpu/index.h"
#include "mem/results.h"

namespace gkl_shim {
namespace mem {

// Finds the matches of queries. settings.min_length is at least the index's. Throws std::bad_alloc.
Results find_on_cpu(const Index &index, const FindSettings &settings, const uint8_t *letters,
                    const int64_t *offsets, int64_t count);

}  // namespace mem
}  // namespace gkl_shim

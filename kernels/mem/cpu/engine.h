// The CPU engine: indexes pages, looks up the seeds of queries, and compares the letters around
// them.
#pragma once

#include "mem/index/index.h"
#include "mem/results.h"

namespace gkl_shim::mem {

// Indexes the seeds that start in the page. Throws std::bad_alloc.
void build_page(const Reference &reference, const Seeds &seeds, int threads, Page *page);

// Finds the matches of queries. settings.min_length is at least the index's. Throws std::bad_alloc.
Results find_on_cpu(const Index &index, const gkl_shim_mem_search &settings,
                    const gkl_shim_mem_sequences &queries);

}  // namespace gkl_shim::mem

// Indexes a page on the CPU.
#pragma once

#include "mem/index/page.h"

namespace gkl_shim::mem {

// Indexes the seeds that start in the page. Throws std::bad_alloc.
void build_page(const Reference &reference, const Seeds &seeds, int threads, Page *page);

}  // namespace gkl_shim::mem

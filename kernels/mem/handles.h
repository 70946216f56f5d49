// What the handles of the C ABI hold.
#pragma once

#include "mem/index/index.h"
#include "mem/index/saved_index.h"
#include "mem/results.h"

struct gkl_shim_mem {
    gkl_shim::mem::Index index;
    gkl_shim::mem::SavedIndex saved;
};

struct gkl_shim_mem_matches {
    const gkl_shim_mem *index;
    gkl_shim::mem::Results results;
};

namespace gkl_shim::mem {

// Both set the last error and return false if an argument is wrong.
bool check_sequences(const char *name, const gkl_shim_mem_sequences *sequences);
bool check_search(const gkl_shim_mem *index, const gkl_shim_mem_sequences *queries,
                  const gkl_shim_mem_search *search);

}  // namespace gkl_shim::mem

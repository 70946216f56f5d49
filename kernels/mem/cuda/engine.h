#pragma once

#include "gkl_shim.h"
#include "mem/index/index.h"
#include "mem/results.h"

namespace gkl_shim::mem {

// Finds matches as find_on_cpu() does, on the devices of the search's engine. If one fails, the
// others search again. Throws Failed if none is left.
Results find_on_devices(const Index &index, const gkl_shim_mem_search &settings,
                        const gkl_shim_mem_sequences &queries);

}  // namespace gkl_shim::mem

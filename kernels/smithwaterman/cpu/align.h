// The alignment of a group of pairs with one kernel.
#pragma once

#include <stdint.h>

#include "smithwaterman/cpu/build.h"

namespace gkl_shim::smithwaterman {

// A pair's alignment. The CIGAR is written in front of `text`, which becomes its start.
struct Result {
    int64_t offset;
    char *text;
};

// Computes the matrices of a group's pairs, finds where each alignment ends, and follows the paths
// back. Throws std::bad_alloc.
void align(const Kernel &kernel, const Group &group, Result *results);

}  // namespace gkl_shim::smithwaterman

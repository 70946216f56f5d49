// The lanes that give Java's results for a pair.
#pragma once

#include "smithwaterman/model.h"

namespace gkl_shim::smithwaterman {

// What computes a pair: lanes of 8 or 16 bits, or Java's arithmetic. Narrow lanes take least time.
enum class Lanes { kNarrow, kWide, kExact };

Lanes lanes_for(const Pair &pair);

}  // namespace gkl_shim::smithwaterman

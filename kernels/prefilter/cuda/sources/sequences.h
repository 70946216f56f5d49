// Facts about lists of sequences that the CUDA engine cuts into chunks.
#pragma once

#include "gkl_shim.h"
#include "prefilter/cuda/work.h"
#include "prefilter/sequences.h"

namespace gkl_shim::prefilter {

typedef gkl_shim_prefilter_sequences Sequences;

// Bases [low, high) of a buffer.
struct Bases {
    int64_t low, high;
    int64_t count() const { return high - low; }
};

// The smallest part of the buffer that holds sequences [first, last) of a list.
Bases bases_of(const Sequences &list, int64_t first, int64_t last);

// Whether chunks of the list would send far more of the buffer than its sequences, so that it is
// better to send the buffer once. It reads starts and lengths with several threads.
bool is_scattered(const Sequences &list, int64_t first, int64_t last, int threads);

}  // namespace gkl_shim::prefilter

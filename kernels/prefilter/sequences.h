// Where the sequences of a list lie. static: each instruction set's translation unit keeps its own
// copy.
#pragma once

#include "gkl_shim.h"

namespace gkl_shim::prefilter {

static inline int32_t length_of(const gkl_shim_prefilter_sequences &sequences, int64_t k) {
    return sequences.lengths ? sequences.lengths[k] : sequences.length;
}

static inline int64_t start_of(const gkl_shim_prefilter_sequences &sequences, int64_t k) {
    return sequences.starts ? sequences.starts[k] : k * sequences.stride;
}

}  // namespace gkl_shim::prefilter

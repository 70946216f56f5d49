// The join of a pair's two halves, whose formula is in recurrence.h. underflow.h makes a likelihood
// of the total. V is a number or a vector of lanes.
#pragma once

#include "hmm/recurrence.h"

namespace gkl_shim::hmm {

template <class V>
struct JoinTotal {
    V high, low;
};

// Adds one row. A row is a struct of two V. Of a head: t is T, and d is D of the next column. Of a
// tail: t is M', and d is c D'. `scaled` is the tail's row times 2^kLow.
template <class Row, class V>
GKL_SHIM_HMM void add_row(const Row &head, const Row &tail, const Row &scaled,
                          JoinTotal<V> *total) {
    total->high = fma(head.t, scaled.t, total->high);
    total->high = fma(head.d, scaled.d, total->high);
    total->low = fma(head.t, tail.t, total->low);
    total->low = fma(head.d, tail.d, total->low);
}

}  // namespace gkl_shim::hmm

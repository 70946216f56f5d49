// The join of a pair's two halves, and the test whether its result is trusted; recurrence.h
// has both formulas. V is a number or a vector of lanes.
#pragma once

#include "hmm/recurrence.h"

namespace gkl_shim {
namespace hmm {

template <class T>
GKL_SHIM_DEVICE constexpr T power_of_two(int exponent) {
    T x = 1;
    for (int k = 0; k < exponent; k++) x *= 2;
    for (int k = 0; k > exponent; k--) x /= 2;
    return x;
}

template <class V>
struct JoinTotal {
    V high, low;
};

// Adds one row. A row is a struct of two V. Of a head: t is T, and d is D of the next column. Of a
// tail: t is M', and d is c D'. `scaled` is the tail's row times 2^kLow.
template <class Row, class V>
GKL_SHIM_DEVICE void add_row(const Row &head, const Row &tail, const Row &scaled,
                             JoinTotal<V> *total) {
    total->high = fma(head.t, scaled.t, total->high);
    total->high = fma(head.d, scaled.d, total->high);
    total->low = fma(head.t, tail.t, total->low);
    total->low = fma(head.d, tail.d, total->low);
}

// Returns the log10 likelihood, or NaN if it is not trusted. T is the precision of the totals,
// which come as doubles. V is double or a vector of double, I the integer type of the same size.
template <class T, class V, class I>
GKL_SHIM_DEVICE V joined_likelihood(V ends, V total_high, V total_low, double length) {
    typedef Range<T> R;
    constexpr double by_high = power_of_two<double>(-(R::kStart + R::kLow));
    constexpr double by_low = power_of_two<double>(-R::kStart);
    constexpr double high_trusted = power_of_two<double>(R::kStart + R::kHighTrusted);
    constexpr double low_trusted = power_of_two<double>(R::kStart + R::kLowTrusted);
    constexpr double largest = sizeof(T) == 4 ? 3e38 : 1e308;
    const V high = ends + total_high * by_high;
    const V low = ends + total_low * by_low;
    const V x = high >= high_trusted ? high : low;
    const auto trusted = (x >= low_trusted) & (high <= largest);
    const V value = log10_likelihood<V, I>(trusted ? x : V{} + 1.0, length, R::kStart);
    return trusted ? value : V{} + bit_cast<double>(int64_t(0x7ff8000000000000));
}

}  // namespace hmm
}  // namespace gkl_shim

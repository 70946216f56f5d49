// The range of each precision, and the test whether a pair's likelihood is within it.
#pragma once

#include "hmm/recurrence.h"

namespace gkl_shim {
namespace hmm {

// Both halves start from 2^start. Single precision flushes values under 2^-126 to zero, which is
// 2^-238 of the start value. So for 512 rows a total of at least 2^-205 has lost less than a
// rounding error in `low`. In `high` the backward half is scaled down by 2^108, and the same holds
// for a total of at least 2^-97. If `high` is smaller than that, `low` has not overflowed. Totals
// that fit neither are computed in double precision, whose limits follow in the same way, and what
// does not fit that either, with rescaling.
template <class T>
struct Range;
template <>
struct Range<float> {
    enum { kStart = 112, kLow = -108, kHighTrusted = -97, kLowTrusted = -205 };
};
template <>
struct Range<double> {
    enum { kStart = 960, kLow = -913, kHighTrusted = -930, kLowTrusted = -1900 };
};

template <class T>
GKL_SHIM_HMM constexpr T power_of_two(int exponent) {
    T x = 1;
    for (int k = 0; k < exponent; k++) x *= 2;
    for (int k = 0; k > exponent; k--) x /= 2;
    return x;
}

// Returns the log10 likelihood, or NaN if it is not trusted. T is the precision of the totals,
// which come as doubles. V is double or a vector of double, I the integer type of the same size.
template <class T, class V, class I>
GKL_SHIM_HMM V joined_likelihood(V ends, V total_high, V total_low, double length) {
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

// The range of each precision, and the test whether a pair's likelihood is within it.
#pragma once

#include "hmm/recurrence.h"

namespace gkl_shim::hmm {

// Both halves start from 2^start. In single precision a result under 2^-126 becomes zero, so an
// operation loses at most 2^-238 of the start value. Totals are trusted for reads of any number of
// rows m, because this loss grows with m as the rounding errors do:
//
//   - A unit of any state adds at most 1 to the total: the states that follow it have
//     probabilities whose sum is at most 1.
//   - A cell loses at most 4 2^-238: once in M^ and twice in T, and less in I^ and D^. M^ counts
//     1 / mm times, and I^ and D^ count mi / mm and md / mm times. That is for gap-open qualities
//     of at least 10; for any that can be scaled it is at most 2^9 2^-238.
//   - So m rows and n columns lose at most 4 m n 2^-238. Of the least trusted total of `low`,
//     2^-205, this is m n 2^-31. Rounding four values a row may change a total by m 2^-22. So up to
//     n = 512 the loss is the smaller of both. For 512 columns and 1,024 rows each is 2^-12.
//   - In `high` the backward half is scaled down by 2^108, so each of a row's two products loses at
//     most 2^-130. 1,024 rows lose 2^-119, which is 2^-22 of the least trusted total, 2^-97.
//   - If `high` is less than 2^-97, `low` is less than 2^(224 - 97) and has not overflowed.
//
// Where gap qualities change from row to row, the sum of probabilities can exceed 1: a row's md and
// the next row's mm need not fit each other. If the continuation qualities are all the same, a unit
// adds at most e. If they are at least 10, it adds at most 10 after 1,024 rows (the largest product
// over all series of qualities). With smaller ones that change it grows without bound, and a total
// may be trusted that lacks a large part.
//
// Totals that are not trusted are computed in double precision, whose limits follow in the same
// way, and what does not fit that either, with rescaling.
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

}  // namespace gkl_shim::hmm

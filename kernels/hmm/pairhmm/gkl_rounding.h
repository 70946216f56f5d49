// Rounds log10 likelihoods as Intel GKL does.
//
// GKL computes a pair in single precision and starts the sum from 2^120. It takes the logarithms of
// the sum and of 2^120, and their difference, in single precision, too. So its results are
// multiples of 2^-19 or 2^-18, and haplotypes that a read hardly tells apart get the same number.
// GATK counts the reads that support each haplotype best, for example for Mutect2's ECNTH. Without
// this rounding, differences far below GKL's precision would decide that, and ECNTH would differ
// from stock GATK's in many records.
//
// If the sum is less than 1e-28, GKL computes the pair again in double precision, where it starts
// from 2^1020 and returns multiples of 2^-46. There a sum less than the smallest normal number
// becomes zero, and its logarithm -Infinity.
#pragma once

#include <math.h>
#include <stdint.h>

namespace gkl_shim::pairhmm {

inline double rounded_as_gkl(double log10_likelihood, bool double_precision) {
    constexpr double log10_of_2 = 0.30102999566398120;
    constexpr double single_start = 120 * log10_of_2, double_start = 1020 * log10_of_2;
    constexpr double smallest_normal = -1022 * log10_of_2;
    const float single_sum = float(log10_likelihood + single_start);
    if (!double_precision && single_sum >= -28) return single_sum - float(single_start);
    const double double_sum = log10_likelihood + double_start;
    return double_sum < smallest_normal ? -HUGE_VAL : double_sum - double_start;
}

inline void round_as_gkl(bool double_precision, int64_t count, double *log10_likelihoods) {
    for (int64_t k = 0; k < count; k++)
        log10_likelihoods[k] = rounded_as_gkl(log10_likelihoods[k], double_precision);
}

}  // namespace gkl_shim::pairhmm

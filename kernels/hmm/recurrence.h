// The scaled recurrence that PairHMM and PDHMM compute: its order of operations, and its
// coefficients.
//
// Every engine uses this file, so all give the same bits. The order of operations below is part of
// the contract. An algorithm's model.h says how the facts of a row follow from a read: e (the
// emission), mi, md, mm (the probabilities that an insertion, a deletion and a match follow a
// match), xx (that a gap continues) and gm (that a match follows a gap). Rows r = 1..m are of a
// read, columns j = 1..n of a haplotype.
//
//   The match, insertion and deletion states are scaled by constants of their row. A cell then
//   takes one multiply and four fused multiply-adds, whatever the qualities (M = M^ / mm[r+1],
//   I = alpha I^, D = D^ md[r] / mm[r+1], and mm[m+1] = gm[m+1] = 1):
//
//     M^(r,j) = e(r, hap[j]) T(r-1, j-1)
//     I^(r,j) = fma(kappa[r], I^(r-1,j), M^(r-1,j))
//     D^(r,j) = fma(xx[r], D^(r,j-1), M^(r,j-1))
//     T (r,j) = fma(a[r], I^(r,j), fma(c[r], D^(r,j), M^(r,j)))
//
//     T(0,j) = D^(0,j) = gm[1] START,   M^(0,j) = I^(1,j) = 0,   M^(r,0) = D^(r,0) = T(r,0) = 0
//     ends  = over j = 1..cut in order: ends = ends + fma(alpha[m], I^(m,j), M^(m,j))
//
//   The backward recurrence is the derivative of the total by each state. It has the same form and
//   starts from the last row and the haplotype's end (I' and D' are scaled by a and c; no insertion
//   begins a read, so kappa'[1] = 0):
//
//     T'(r,j) = e(r+1, hap[j+1]) M'(r+1, j+1)
//     D'(r,j) = fma(xx[r], D'(r,j+1), T'(r,j))
//     M'(r,j) = fma(a[r+1], I'(r+1,j), fma(c[r], D'(r,j+1), T'(r,j)))
//     I'(r,j) = fma(kappa'[r], I'(r+1,j), T'(r,j))        kappa'[r] = xx[r+1] gm[r+2] / gm[r+1]
//
//     M'(m,j) = I'(m,j) = START,   T'(r,n) = D'(r,n) = 0,   row 0 has xx = c = 1
//
//   The join multiplies both halves after the column where it is cut, rows from the last to 0:
//
//     high = fma(T(r), T'(r) LOW, high),  high = fma(D^(r,cut+1), (c[r] D'(r,cut+1)) LOW, high)
//     low  = fma(T(r), T'(r), low),       low  = fma(D^(r,cut+1),  c[r] D'(r,cut+1), low)
//
//     likelihood = (ends + high / (START LOW)) / START / n
//
//   If high is small, low / START replaces the fraction: a product of two halves needs twice the
//   range of a number.
//
//   START and LOW are powers of two.
#pragma once

#include "common/integers.h"

#if !defined(__CUDACC_RTC__)
#include <string.h>
#endif

#if defined(__CUDACC__)
#define GKL_SHIM_HMM __device__ __forceinline__
#define GKL_SHIM_BOTH __host__ __device__
#else
#include "common/simd.h"
// static: each instruction set's translation unit keeps its own copy. Not GKL_SHIM_DEVICE of
// common/device.h: forced inlining changes the machine code of the CPU's builds.
#define GKL_SHIM_HMM static inline
#define GKL_SHIM_BOTH
#endif

namespace gkl_shim::hmm {

template <class To, class From>
GKL_SHIM_HMM To bit_cast(From from) {
    To to;
    memcpy(&to, &from, sizeof to);
    return to;
}

// x = mantissa 2^exponent, with the mantissa in [sqrt(1/2), sqrt(2)).
template <class V, class I>
GKL_SHIM_HMM V split(V x, V *exponent) {
    const I bits = bit_cast<I>(x);
    // Subtracting sqrt(1/2) leaves the exponent in the upper bits; adding 1024 to it keeps it
    // positive. A small integer added to the bits of 1.5 2^52 gives a double larger by that
    // integer.
    const I e = ((bits + (0x4000000000000000 - 0x3fe6a09e667f3bcd)) >> 52) - 1024;
    *exponent = bit_cast<V>(e + 0x4338000000000000) - 6755399441055744.0;
    return bit_cast<V>(bits - e * (int64_t(1) << 52));
}

// ln((1 + z) / (1 - z)) = 2 (z + z^3/3 + z^5/5 + ...), |z| <= 0.172.
template <class V>
GKL_SHIM_HMM V log_ratio(V z) {
    const V z2 = z * z;
    V series = z2 * 0 + 1.0 / 25;
    for (int odd = 23; odd >= 3; odd -= 2) series = fma(series, z2, z2 * 0 + 1.0 / odd);
    return fma(series * z2, 2 * z, 2 * z);
}

// log10(x / n / 2^exponent) for positive normal numbers, with an error below 2e-15. It uses IEEE
// operations alone, because C libraries differ in the last bits between versions and processors. V
// is double or a vector of double, I the integer type of the same size.
template <class V, class I>
GKL_SHIM_HMM V log10_likelihood(V x, double n, double exponent) {
    const double log10_of_2 = 0.30102999566398120, inverse_ln10 = 0.43429448190325183;
    V e;
    const V mantissa = split<V, I>(x / n, &e);
    return fma(e - exponent, e * 0 + log10_of_2,
               log_ratio((mantissa - 1) / (mantissa + 1)) * inverse_ln10);
}

// A row's coefficients from its facts. V is a number or a vector of lanes; `next` is the row below.
// A row with mm = 0 (both gap-open qualities about 3 or less) cannot be scaled. Its emissions are
// NaN, so the read's results are not trusted, and the plain recurrence computes it.
template <class V>
GKL_SHIM_HMM V scaled_alpha(V mi, V inverse_mm) {
    return mi * inverse_mm;
}
template <class V>
GKL_SHIM_HMM V scaled_inverse_alpha(V mm, V inverse_mi) {
    return mm * inverse_mi;
}
template <class V>
GKL_SHIM_HMM V scaled_kappa(V xx, V alpha_above, V inverse_alpha) {
    return xx * (alpha_above * inverse_alpha);
}
template <class V>
GKL_SHIM_HMM V scaled_a(V gm_next, V alpha) {
    return gm_next * alpha;
}
template <class V>
GKL_SHIM_HMM V scaled_c(V gm_next, V md, V inverse_mm_next) {
    return (gm_next * md) * inverse_mm_next;
}
template <class V>
GKL_SHIM_HMM V scaled_backward_kappa(V xx_next, V gm_after_next, V gm_next) {
    return xx_next * (gm_after_next / gm_next);
}

}  // namespace gkl_shim::hmm

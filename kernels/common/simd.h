// Vectors of float or double lanes, the same source for every instruction set.
//
// A translation unit is compiled for one instruction set and sees only what that set offers.
// Everything here has internal linkage and uses no C++ library: an inline function shared between
// translation units of different instruction sets could be merged by the linker into the copy that
// the running CPU cannot execute.
#pragma once

#include <stdint.h>

#if defined(__FMA__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace gkl_shim {
namespace {

template <class T, int W>
struct VectorOf;
template <int W>
struct VectorOf<float, W> {
    typedef float type __attribute__((vector_size(W * 4)));
    typedef int32_t mask __attribute__((vector_size(W * 4)));
};
template <int W>
struct VectorOf<double, W> {
    typedef double type __attribute__((vector_size(W * 8)));
    typedef int64_t mask __attribute__((vector_size(W * 8)));
};

// a * b + c, rounded once, in every build: this is what makes their results the same bits.
inline float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
template <class V>
inline V fma(V a, V b, V c) {
    enum { kSingle = sizeof(a[0]) == 4 };
#if defined(__AVX512F__)
    if constexpr (sizeof(V) == 64)
        return kSingle ? V(_mm512_fmadd_ps(__m512(a), __m512(b), __m512(c)))
                       : V(_mm512_fmadd_pd(__m512d(a), __m512d(b), __m512d(c)));
#endif
#if defined(__FMA__)
    if constexpr (sizeof(V) == 32)
        return kSingle ? V(_mm256_fmadd_ps(__m256(a), __m256(b), __m256(c)))
                       : V(_mm256_fmadd_pd(__m256d(a), __m256d(b), __m256d(c)));
    if constexpr (sizeof(V) == 16)
        return kSingle ? V(_mm_fmadd_ps(__m128(a), __m128(b), __m128(c)))
                       : V(_mm_fmadd_pd(__m128d(a), __m128d(b), __m128d(c)));
#elif defined(__aarch64__)
    if constexpr (sizeof(V) == 16)
        return kSingle ? V(vfmaq_f32(float32x4_t(c), float32x4_t(a), float32x4_t(b)))
                       : V(vfmaq_f64(float64x2_t(c), float64x2_t(a), float64x2_t(b)));
#endif
    for (unsigned k = 0; k < sizeof(V) / sizeof(a[0]); k++) c[k] = fma(a[k], b[k], c[k]);
    return c;
}

}  // namespace
}  // namespace gkl_shim

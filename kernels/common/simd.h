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
template <class V>
inline V fma(V a, V b, V c) {
    for (unsigned k = 0; k < sizeof(V) / sizeof(a[0]); k++)
        c[k] =
            sizeof(a[0]) == 4 ? __builtin_fmaf(a[k], b[k], c[k]) : __builtin_fma(a[k], b[k], c[k]);
    return c;
}
inline float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
#if defined(__AVX512F__)
inline VectorOf<float, 16>::type fma(VectorOf<float, 16>::type a, VectorOf<float, 16>::type b,
                                     VectorOf<float, 16>::type c) {
    return _mm512_fmadd_ps(a, b, c);
}
inline VectorOf<double, 8>::type fma(VectorOf<double, 8>::type a, VectorOf<double, 8>::type b,
                                     VectorOf<double, 8>::type c) {
    return _mm512_fmadd_pd(a, b, c);
}
#endif
#if defined(__FMA__)
inline VectorOf<float, 8>::type fma(VectorOf<float, 8>::type a, VectorOf<float, 8>::type b,
                                    VectorOf<float, 8>::type c) {
    return _mm256_fmadd_ps(a, b, c);
}
inline VectorOf<double, 4>::type fma(VectorOf<double, 4>::type a, VectorOf<double, 4>::type b,
                                     VectorOf<double, 4>::type c) {
    return _mm256_fmadd_pd(a, b, c);
}
inline VectorOf<float, 4>::type fma(VectorOf<float, 4>::type a, VectorOf<float, 4>::type b,
                                    VectorOf<float, 4>::type c) {
    return _mm_fmadd_ps(a, b, c);
}
inline VectorOf<double, 2>::type fma(VectorOf<double, 2>::type a, VectorOf<double, 2>::type b,
                                     VectorOf<double, 2>::type c) {
    return _mm_fmadd_pd(a, b, c);
}
#elif defined(__aarch64__)
inline VectorOf<float, 4>::type fma(VectorOf<float, 4>::type a, VectorOf<float, 4>::type b,
                                    VectorOf<float, 4>::type c) {
    return vfmaq_f32(c, a, b);
}
inline VectorOf<double, 2>::type fma(VectorOf<double, 2>::type a, VectorOf<double, 2>::type b,
                                     VectorOf<double, 2>::type c) {
    return vfmaq_f64(c, a, b);
}
#endif

}  // namespace
}  // namespace gkl_shim

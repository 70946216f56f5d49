// A test of many bytes together.
#pragma once

#include <stdint.h>
#include <string.h>

#include <algorithm>

namespace gkl_shim {

// Whether all bytes pass a test. It gets 16 together, because all CPUs have vectors of this size:
// test(vector) is a comparison of vectors.
template <class Test>
bool all_bytes(const uint8_t *bytes, int64_t count, const Test &test) {
    enum { kTogether = 16 };
    typedef uint8_t Vector __attribute__((vector_size(kTogether)));
    if (count == 0) return true;
    // The first byte stands for those that are lacking.
    Vector some = Vector{} + bytes[0];
    if (count < kTogether) memcpy(&some, bytes, size_t(count));
    auto passed = test(some);
    for (int64_t k = 0; k < count && count >= kTogether; k += kTogether) {
        memcpy(&some, bytes + std::min(k, count - kTogether), sizeof some);
        passed &= test(some);
    }
    uint64_t halves[2];
    memcpy(halves, &passed, sizeof halves);
    return (halves[0] & halves[1]) == ~uint64_t(0);
}

// The first byte that fails a test, or -1.
template <class Test>
int64_t first_failing(const uint8_t *bytes, int64_t count, const Test &test) {
    if (all_bytes(bytes, count, test)) return -1;
    int64_t k = 0;
    while (all_bytes(bytes + k, 1, test)) k++;
    return k;
}

}  // namespace gkl_shim

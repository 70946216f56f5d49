#include "pairhmm/cuda/lone/lone_codes.h"

#include <string.h>

#include <algorithm>

#include "common/cpu.h"
#include "hmm/letters.h"
#include "pairhmm/cuda/lone/lone_format.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace gkl_shim {
namespace pairhmm {
namespace {

template <bool AS_GKL>
uint8_t code_bases_as(const uint8_t *bases, const uint8_t *quals, int64_t count, uint8_t *codes) {
    const int64_t size = sizeof(Bytes);
    Bytes highest = {};
    const auto coded = [&highest](Bytes b, Bytes q) {
        q &= uint8_t(kQualities - 1);
        highest = q > highest ? q : highest;
        return q + letters_of<AS_GKL, kCodedQualities>(b);
    };
    Bytes b, q;
    int64_t k = 0;
    for (; k + size <= count; k += size) {
        memcpy(&b, bases + k, size);
        memcpy(&q, quals + k, size);
        b = coded(b, q);
        memcpy(codes + k, &b, size);
    }
    if (k < count) {
        b = q = Bytes{};
        memcpy(&b, bases + k, size_t(count - k));
        memcpy(&q, quals + k, size_t(count - k));
        b = coded(b, q);
        memcpy(codes + k, &b, size_t(count - k));
    }
    uint8_t max = 0;
    for (int z = 0; z < size; z++) max = std::max(max, uint8_t(highest[z]));
    return max;
}

#if defined(__x86_64__)
#define GKL_SHIM_AVX2 __attribute__((target("avx2")))

// The names of letters differ in their lower four bits, by which a shuffle looks up both the only
// name with these bits and SCALE times its letter.
template <int SCALE>
class Lookup {
   public:
    GKL_SHIM_AVX2 explicit Lookup(bool as_gkl)
        : upper_(_mm256_set1_epi8(as_gkl ? char(0xff) : char(0xdf))) {
        alignas(16) uint8_t names[16] = {}, letters[16] = {};
        names[0] = 1;  // no name, and no byte with these bits
        for (int letter = 0; letter < kLetters; letter++) {
            names[kNames[letter] & 15] = uint8_t(kNames[letter]);
            letters[kNames[letter] & 15] = uint8_t(letter * SCALE);
        }
        names_ = _mm256_broadcastsi128_si256(*reinterpret_cast<const __m128i *>(names));
        letters_ = _mm256_broadcastsi128_si256(*reinterpret_cast<const __m128i *>(letters));
    }

    // Returns what letters_of() does, and in which bytes there is a letter.
    GKL_SHIM_AVX2 __m256i of(__m256i bytes, __m256i *known) const {
        bytes = _mm256_and_si256(bytes, upper_);
        *known = _mm256_cmpeq_epi8(_mm256_shuffle_epi8(names_, bytes), bytes);
        return _mm256_and_si256(*known, _mm256_shuffle_epi8(letters_, bytes));
    }

   private:
    const __m256i upper_;
    __m256i names_, letters_;
};

GKL_SHIM_AVX2 inline __m256i load(const uint8_t *from) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i *>(from));
}
GKL_SHIM_AVX2 inline void store(uint8_t *to, __m256i bytes) {
    _mm256_storeu_si256(reinterpret_cast<__m256i *>(to), bytes);
}

enum { kAvx2Bytes = sizeof(__m256i) };

// The first `count` bytes, a multiple of kAvx2Bytes.
GKL_SHIM_AVX2 uint8_t code_bases_with_avx2(bool as_gkl, const uint8_t *bases, const uint8_t *quals,
                                           int64_t count, uint8_t *codes) {
    const Lookup<kCodedQualities> lookup(as_gkl);
    const __m256i range = _mm256_set1_epi8(kQualities - 1);
    __m256i highest = _mm256_setzero_si256(), known;
    for (int64_t k = 0; k < count; k += kAvx2Bytes) {
        const __m256i quality = _mm256_and_si256(load(quals + k), range);
        highest = _mm256_max_epu8(highest, quality);
        store(codes + k, _mm256_add_epi8(lookup.of(load(bases + k), &known), quality));
    }
    alignas(kAvx2Bytes) uint8_t each[kAvx2Bytes];
    store(each, highest);
    return *std::max_element(each, each + kAvx2Bytes);
}

// The same. Returns whether all bytes are letters.
GKL_SHIM_AVX2 bool code_letters_with_avx2(bool as_gkl, const uint8_t *bases, int64_t count,
                                          uint8_t *letters) {
    const Lookup<1> lookup(as_gkl);
    __m256i all = _mm256_set1_epi8(-1), known;
    for (int64_t k = 0; k < count; k += kAvx2Bytes) {
        store(letters + k, lookup.of(load(bases + k), &known));
        all = _mm256_and_si256(all, known);
    }
    return _mm256_movemask_epi8(all) == -1;
}
#endif

// How many of `count` bytes AVX2 takes, if there is AVX2.
int64_t bytes_for_avx2(int64_t count) {
#if defined(__x86_64__)
    static const bool has_avx2 = cpu_has_avx2();
    if (has_avx2) return count - count % kAvx2Bytes;
#endif
    return 0;
}

}  // namespace

uint8_t code_bases(bool as_gkl, const uint8_t *bases, const uint8_t *quals, int64_t count,
                   uint8_t *codes) {
    const auto coded = as_gkl ? code_bases_as<true> : code_bases_as<false>;
    const int64_t some = bytes_for_avx2(count);
    uint8_t highest = coded(bases + some, quals + some, count - some, codes + some);
#if defined(__x86_64__)
    if (some > 0)
        highest = std::max(highest, code_bases_with_avx2(as_gkl, bases, quals, some, codes));
#endif
    return highest;
}

int64_t code_letters(bool as_gkl, const uint8_t *bases, int64_t count, uint8_t *letters) {
    int64_t some = bytes_for_avx2(count);
#if defined(__x86_64__)
    if (some > 0 && !code_letters_with_avx2(as_gkl, bases, some, letters) && !as_gkl) some = 0;
#endif
    const int64_t refused = encode(as_gkl, bases + some, count - some, letters + some);
    return refused < 0 ? -1 : some + refused;
}

}  // namespace pairhmm
}  // namespace gkl_shim

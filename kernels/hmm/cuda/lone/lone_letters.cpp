#include "hmm/cuda/lone/lone_letters.h"

#include "common/cpu.h"
#include "hmm/letters.h"
#include "hmm/pairhmm/model.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace gkl_shim::pairhmm {
namespace {

#if defined(__x86_64__)
enum { kAvx2Bytes = sizeof(__m256i) };

// Encodes bytes, of which there are a multiple of kAvx2Bytes. What is no letter becomes kA. Returns
// whether all are letters. The stores bypass the CPU's caches: the bus reads memory faster than a
// cache.
//
// The names of letters differ in their lower four bits. A shuffle looks up the only name with these
// bits, and its letter. It finds 0 for a byte whose highest bit is set.
__attribute__((target("avx2"))) bool encode_with_avx2(bool as_gkl, const uint8_t *bases,
                                                      int64_t count, uint8_t *letters) {
    alignas(16) uint8_t names[16] = {1};  // 1 is no name of the bits 0, and has other bits
    alignas(16) uint8_t numbers[16] = {};
    for (uint8_t letter = 0; letter < kLetters; letter++) {
        names[kNames[letter] & 15] = uint8_t(kNames[letter]);
        numbers[kNames[letter] & 15] = letter;
    }
    const __m256i name_of = _mm256_broadcastsi128_si256(*reinterpret_cast<const __m128i *>(names));
    const __m256i number_of =
        _mm256_broadcastsi128_si256(*reinterpret_cast<const __m128i *>(numbers));
    const __m256i upper_case = _mm256_set1_epi8(as_gkl ? char(0xff) : char(0xdf));
    __m256i all = _mm256_set1_epi8(-1);
    for (int64_t k = 0; k < count; k += kAvx2Bytes) {
        const __m256i given = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(bases + k));
        const __m256i byte = _mm256_and_si256(given, upper_case);
        const __m256i known = _mm256_cmpeq_epi8(_mm256_shuffle_epi8(name_of, byte), byte);
        _mm256_stream_si256(reinterpret_cast<__m256i *>(letters + k),
                            _mm256_and_si256(known, _mm256_shuffle_epi8(number_of, byte)));
        all = _mm256_and_si256(all, known);
    }
    _mm_sfence();
    return _mm256_movemask_epi8(all) == -1;
}
#endif

}  // namespace

int64_t encode_letters(bool as_gkl, const uint8_t *bases, int64_t count, uint8_t *letters) {
    int64_t done = 0;
#if defined(__x86_64__)
    static const bool has_avx2 = cpu_has_avx2();
    if (has_avx2) done = count - count % kAvx2Bytes;
    // encode() says where the first refused byte is.
    if (done > 0 && !encode_with_avx2(as_gkl, bases, done, letters) && !as_gkl) done = 0;
#endif
    const int64_t refused = encode(as_gkl, bases + done, count - done, letters + done);
    return refused < 0 ? -1 : done + refused;
}

}  // namespace gkl_shim::pairhmm

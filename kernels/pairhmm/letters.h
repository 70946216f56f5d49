// From bytes to letters.
#pragma once

#include <stdint.h>
#include <string.h>

#include "pairhmm/model.h"

namespace gkl_shim {
namespace pairhmm {

enum : uint8_t { kRefused = 128 };

// Letters under each of the two conventions, refused ones marked. Arithmetic, not a table: the
// compiler makes vector code of it. Returns all of them joined by or.
template <bool AS_GKL>
uint8_t encode_as(const uint8_t *__restrict bases, int64_t count, uint8_t *__restrict letters) {
    uint8_t seen = 0;
    for (int64_t k = 0; k < count; k++) {
        const uint8_t b = AS_GKL ? bases[k] : bases[k] & 0xdf;  // upper case
        uint8_t letter = AS_GKL || b == 'A' ? uint8_t(kA) : uint8_t(kRefused);
        letter = b == 'C' ? uint8_t(kC) : letter;
        letter = b == 'G' ? uint8_t(kG) : letter;
        letter = b == 'T' ? uint8_t(kT) : letter;
        letter = b == 'N' ? uint8_t(kN) : letter;
        letters[k] = letter;
        seen |= letter;
    }
    return seen;
}

// Returns the first refused position, or -1.
inline int64_t encode(bool as_gkl, const uint8_t *bases, int64_t count, uint8_t *letters) {
    if (as_gkl) return encode_as<true>(bases, count, letters), -1;
    if (!(encode_as<false>(bases, count, letters) & kRefused)) return -1;
    return static_cast<const uint8_t *>(memchr(letters, kRefused, size_t(count))) - letters;
}

}  // namespace pairhmm
}  // namespace gkl_shim

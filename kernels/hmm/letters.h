// The bytes that count as letters under either convention.
#pragma once

#include <stdint.h>
#include <string.h>

#include "hmm/alphabet.h"

namespace gkl_shim::hmm {

enum : uint8_t { kRefused = 128 };

constexpr char kNames[] = "ACGTN";  // by Letter

// The vectors are explicit because compilers turn a plain loop into branches, which cost a small
// region a tenth of its time.
typedef uint8_t Bytes __attribute__((vector_size(16)));

// Returns SCALE times the letter of each byte. Bytes that are no letter become kA, 0.
template <bool AS_GKL, int SCALE = 1>
inline Bytes letters_of(Bytes b) {
    if (!AS_GKL) b &= 0xdf;  // to upper case
    const auto where = [](auto equal, int letter) {
        return Bytes(equal) & uint8_t(letter * SCALE);
    };
    return where(b == 'C', kC) | where(b == 'G', kG) | where(b == 'T', kT) | where(b == 'N', kN);
}

// Encodes bytes under one of the two conventions and marks refused ones. Returns all letters joined
// by or.
template <bool AS_GKL>
uint8_t encode_as(const uint8_t *bases, int64_t count, uint8_t *letters) {
    Bytes seen = {};
    const auto encoded = [&seen](Bytes b) {
        Bytes letter = letters_of<AS_GKL>(b);
        if (!AS_GKL) letter |= Bytes((letter == 0) & ((b & 0xdf) != 'A')) & uint8_t(kRefused);
        seen |= letter;
        return letter;
    };
    const int64_t size = sizeof(Bytes);
    Bytes some;
    int64_t k = 0;
    for (; k + size <= count; k += size) {
        memcpy(&some, bases + k, size);
        some = encoded(some);
        memcpy(letters + k, &some, size);
    }
    if (k < count) {
        some = Bytes{} + uint8_t('A');
        memcpy(&some, bases + k, size_t(count - k));
        some = encoded(some);
        memcpy(letters + k, &some, size_t(count - k));
    }
    uint8_t any = 0;
    for (int z = 0; z < size; z++) any |= seen[z];
    return any;
}

// Encodes bytes. Returns the position of the first refused one, or -1.
inline int64_t encode(bool as_gkl, const uint8_t *bases, int64_t count, uint8_t *letters) {
    if (as_gkl) return encode_as<true>(bases, count, letters), -1;
    if (!(encode_as<false>(bases, count, letters) & kRefused)) return -1;
    return static_cast<const uint8_t *>(memchr(letters, kRefused, size_t(count))) - letters;
}

// Returns the position of the first refused byte, or -1, without storing letters.
inline int64_t find_refused(bool as_gkl, const uint8_t *bases, int64_t count) {
    if (as_gkl) return -1;
    uint8_t letters[1024];
    for (int64_t k = 0; k < count; k += int64_t(sizeof letters)) {
        const int64_t left = count - k, some = int64_t(sizeof letters);
        const int64_t refused = encode(false, bases + k, left < some ? left : some, letters);
        if (refused >= 0) return k + refused;
    }
    return -1;
}

}  // namespace gkl_shim::hmm

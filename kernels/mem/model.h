// Maximal exact matches: what both engines share. The letters, the seeds, and the test of a seed.
//
// A text is the sequences of a reference, or of a block of queries, one after another with an end
// byte around each. A letter is its lower-case byte, and matches the same byte. The bytes from
// kQueryOther on are not letters. They match nothing, because a reference and a query never hold
// the same one.
//
// Seeds (as in copMEM, Grabowski and Bieniecki 2018): the k letters at every `reference_step`-th
// position of the reference are in the index, and those at every `query_step`-th position of the
// query are looked up. The steps have no common divisor and their product, the period, is at most
// minimum length - k + 1. So every match of the minimum length contains a pair of looked-up and
// indexed seeds (Chinese remainder theorem), and the pairs of one match are one period apart.
//
// A match is reported by its first pair only: the one with fewer equal letters before it than a
// period. This needs no memory of earlier matches, and holds across threads and pages.
#pragma once

#include "common/device.h"
#include "common/integers.h"

namespace gkl_shim::mem {

// Bytes that are not letters.
enum : uint8_t { kQueryOther = 0xFC, kReferenceOther, kQueryEnd, kReferenceEnd };

// A seed has at most this many letters, so that a word of 64 bits holds it at any bit offset.
enum { kMaxSeedLetters = 28 };

struct Seeds {
    int32_t letters;
    int32_t bits;      // there are 2^bits buckets of seeds that consist of acgt
    int32_t odd_bits;  // and 2^odd_bits buckets of others, or none if this is -1
    int32_t reference_step, query_step;

    GKL_SHIM_METHOD int64_t period() const { return int64_t(reference_step) * query_step; }
    GKL_SHIM_METHOD int64_t buckets() const {
        return (int64_t(1) << bits) + (odd_bits < 0 ? 0 : int64_t(1) << odd_bits);
    }
};

// What both engines know of a text. Letters have two bits each in `codes`: (byte >> 1) & 3. `odd`
// has a bit for each byte that is not one of acgt. All have readable bytes before and after them.
struct TextView {
    const uint8_t *letters;
    const uint8_t *codes;
    const uint8_t *odd;
    int64_t size;
};

#if defined(__CUDACC_RTC__)
// A word of 8 bytes at any address. Reads up to 7 bytes before and after it.
GKL_SHIM_METHOD uint64_t word_at(const uint8_t *bytes) {
    const uint64_t address = reinterpret_cast<uint64_t>(bytes);
    const uint64_t *aligned = reinterpret_cast<const uint64_t *>(address & ~uint64_t(7));
    const int shift = int(address & 7) * 8;
    const uint64_t low = aligned[0];
    return shift == 0 ? low : low >> shift | aligned[1] << (64 - shift);
}
GKL_SHIM_METHOD int zeros_below(uint64_t word) { return __ffsll((long long)word) - 1; }
GKL_SHIM_METHOD int zeros_above(uint64_t word) { return __clzll((long long)word); }
GKL_SHIM_METHOD uint64_t bytes_reversed(uint64_t word) {
    const uint32_t low = uint32_t(word), high = uint32_t(word >> 32);
    return uint64_t(__byte_perm(low, 0, 0x0123)) << 32 | __byte_perm(high, 0, 0x0123);
}
#else
GKL_SHIM_METHOD uint64_t word_at(const uint8_t *bytes) {
    uint64_t word;
    __builtin_memcpy(&word, bytes, sizeof word);
    return word;
}
GKL_SHIM_METHOD int zeros_below(uint64_t word) { return __builtin_ctzll(word); }
GKL_SHIM_METHOD int zeros_above(uint64_t word) { return __builtin_clzll(word); }
GKL_SHIM_METHOD uint64_t bytes_reversed(uint64_t word) { return __builtin_bswap64(word); }
#endif

// What each byte of a sequence becomes in a text.
struct LetterTable {
    uint8_t of[256];
};

// The codes of 8 letters, two bits each.
GKL_SHIM_METHOD uint16_t codes_of(uint64_t word) {
    uint64_t codes = word >> 1 & 0x0303030303030303;
    codes = (codes | codes >> 6) & 0x000F000F000F000F;
    codes = (codes | codes >> 12) & 0x000000FF000000FF;
    return uint16_t(codes | codes >> 24);
}

// The highest bit of each of 8 letters that is not one of acgt.
GKL_SHIM_METHOD uint64_t odd_bits_of(uint64_t word) {
    const uint64_t each = 0x0101010101010101, high = 0x80 * each;
    const uint8_t nucleotides[] = {'a', 'c', 'g', 't'};
    uint64_t odd = high;
    for (const uint8_t nucleotide : nucleotides) {
        const uint64_t different = word ^ nucleotide * each;
        odd &= ((different & ~high) + ~high) | different;
    }
    return odd;
}

// A bit for each of 8 letters that is not one of acgt.
GKL_SHIM_METHOD uint8_t odd_of(uint64_t word) {
    return uint8_t((odd_bits_of(word) >> 7) * 0x0102040810204080 >> 56);
}

// If 8 letters are all acgt in either case, sets `in_text` to what a text holds for them, or for
// their reverse complement, and returns true.
GKL_SHIM_METHOD bool usual_letters(const uint8_t *letters, bool reversed, uint64_t *in_text) {
    const uint64_t each = 0x0101010101010101;
    // The bit 0x20 makes a letter lower case.
    const uint64_t lowered = word_at(letters) | 0x20 * each;
    if (odd_bits_of(lowered) != 0) return false;
    // a and t differ in the bits 0x15, c and g in 0x04, and only c and g have the bit 0x02.
    const uint64_t is_cg = lowered >> 1 & each;
    *in_text = reversed ? bytes_reversed(lowered ^ 0x15 * each ^ 0x11 * is_cg) : lowered;
    return true;
}

// The lowest `count` bits, at most 57, of a bit array at any bit.
GKL_SHIM_METHOD uint64_t bits_at(const uint8_t *bits, int64_t at, int count) {
    return word_at(bits + (at >> 3)) >> (at & 7) & ((uint64_t(1) << count) - 1);
}

GKL_SHIM_METHOD uint64_t mixed(uint64_t value) {
    return (value ^ value >> 32) * uint64_t(0x9E3779B97F4A7C15);
}

// The bucket of the seed at a position of a text, or -1 if one of its bytes is not a letter.
// The buckets of acgt seeds come first. The seeds are hashed if there are more of them than
// buckets.
GKL_SHIM_METHOD int64_t bucket_at(const Seeds &seeds, const TextView &text, int64_t at) {
    if (bits_at(text.odd, at, seeds.letters) == 0) {
        const uint64_t code = bits_at(text.codes, 2 * at, 2 * seeds.letters);
        if (seeds.bits == 2 * seeds.letters) return int64_t(code);
        return int64_t(mixed(code) >> (64 - seeds.bits));
    }
    if (seeds.odd_bits < 0) return -1;
    uint64_t hash = 0;
    for (int k = 0; k < seeds.letters; k++) {
        const uint8_t letter = text.letters[at + k];
        if (letter >= kQueryOther) return -1;
        hash = mixed(hash + letter);
    }
    const int64_t odd = seeds.odd_bits == 0 ? 0 : int64_t(mixed(hash) >> (64 - seeds.odd_bits));
    return (int64_t(1) << seeds.bits) + odd;
}

// How many bytes are equal from two places on. The end bytes of the texts end it.
GKL_SHIM_METHOD int64_t equal_from(const uint8_t *a, const uint8_t *b) {
    for (int64_t n = 0;; n += 8) {
        const uint64_t different = word_at(a + n) ^ word_at(b + n);
        if (different) return n + zeros_below(different) / 8;
    }
}

// How many bytes are equal right before two places, counted up to `most`.
GKL_SHIM_METHOD int64_t equal_before(const uint8_t *a, const uint8_t *b, int64_t most) {
    for (int64_t n = 0; n < most; n += 8) {
        const uint64_t different = word_at(a - n - 8) ^ word_at(b - n - 8);
        if (different) {
            const int64_t equal = n + zeros_above(different) / 8;
            return equal < most ? equal : most;
        }
    }
    return most;
}

// If the pair of seeds at two places is the first of a match: sets how far the match extends before
// and from these places, and returns true.
GKL_SHIM_METHOD bool is_match(const Seeds &seeds, int64_t min_length, const uint8_t *reference,
                              const uint8_t *query, int64_t *before, int64_t *from) {
    const int64_t period = seeds.period();
    *before = equal_before(reference, query, period);
    if (*before == period) return false;
    *from = equal_from(reference, query);
    return *from >= seeds.letters && *before + *from >= min_length;
}

}  // namespace gkl_shim::mem

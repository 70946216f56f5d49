// Reads in memory: those of a ragged array, or of a piece of a file.
#pragma once

#include <stdint.h>
#include <string.h>

#include "common/thread_pool.h"
#include "correct/model.h"

namespace gkl_shim::correct {

// The most letters of a read, so that positions fit into 32 bits.
constexpr int64_t kMaxReadLength = INT32_MAX / 2;

struct Read {
    uint8_t *letters;
    const uint8_t *qualities;  // or null
    int32_t length;
};

// Eight letters as a 16-bit number, the first one highest.
inline uint64_t packed(const uint8_t *letters) {
    uint64_t x;
    memcpy(&x, letters, sizeof x);
    x = __builtin_bswap64(x) >> 1 & 0x0303030303030303ull;
    x = (x | x >> 6) & 0x000F000F000F000Full;
    x = (x | x >> 12) & 0x000000FF000000FFull;
    return (x | x >> 24) & 0xFFFF;
}

// The k-mer at `letters`, which are ACGT.
inline uint64_t kmer_at(const uint8_t *letters, int k) {
    uint64_t x = 0;
    int done = 0;
    for (; done + 8 <= k; done += 8) x = x << 16 | packed(letters + done);
    const int rest = 2 * (k - done);
    return x << rest | (packed(letters + k - 8) & ((uint64_t(1) << rest) - 1));
}

inline uint64_t canonical(const Hasher &hasher, uint64_t kmer) {
    const uint64_t reverse = hasher.reverse_complement(kmer);
    return kmer < reverse ? kmer : reverse;
}

// Whether letters are ACGTN, in either case: each of the vector's.
template <class Letters>
auto are_right(Letters letters) {
    const Letters upper = letters & 0xDF;
    return (upper == 'A') | (upper == 'C') | (upper == 'G') | (upper == 'T') | (upper == 'N');
}

// The first letter that is none of ACGTN, in either case, or -1. Looks at 16 together: all CPUs
// have vectors of this size.
inline int64_t wrong_letter(const uint8_t *letters, int64_t length) {
    typedef uint8_t Bytes __attribute__((vector_size(16)));
    Bytes right = ~Bytes{};
    int64_t k = 0;
    for (; k + 16 <= length; k += 16) {
        Bytes some;
        memcpy(&some, letters + k, sizeof some);
        right &= Bytes(are_right(some));
    }
    uint64_t halves[2];
    memcpy(halves, &right, sizeof right);
    if ((halves[0] & halves[1]) != ~uint64_t(0)) k = 0;
    while (k < length && are_right(unsigned(letters[k]))) k++;
    return k < length ? k : -1;
}

// Reads that one task checks.
constexpr int64_t kReadsChecked = 4096;

// Adds the first of the reads [begin, end) that has a wrong letter, if one has.
inline void add_wrong_read(const Read *reads, int64_t begin, int64_t end, FirstIndex *wrong) {
    while (begin < end && wrong_letter(reads[begin].letters, reads[begin].length) < 0) begin++;
    if (begin < end) wrong->add(begin);
}

}  // namespace gkl_shim::correct

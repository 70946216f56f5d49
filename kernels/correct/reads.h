// Reads in memory: those of a ragged array, or of a piece of a file.
#pragma once

#include <stdint.h>

#include "common/text/bytes.h"
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

// The k-mer at `letters`, which are ACGT.
inline uint64_t kmer_at(const uint8_t *letters, int k) {
    uint64_t kmer = 0;
    for (int p = 0; p < k; p++) kmer = kmer << 2 | (letters[p] >> 1 & 3u);
    return kmer;
}

inline uint64_t canonical(const Hasher &hasher, uint64_t kmer) {
    const uint64_t reverse = hasher.reverse_complement(kmer);
    return kmer < reverse ? kmer : reverse;
}

// The first letter that is none of ACGTN, in either case, or -1.
inline int64_t wrong_letter(const uint8_t *letters, int64_t length) {
    return first_failing(letters, length, [](auto letter) {
        const auto upper = letter & 0xDF;
        return (upper == 'A') | (upper == 'C') | (upper == 'G') | (upper == 'T') | (upper == 'N');
    });
}

// Reads that one task checks.
constexpr int64_t kReadsChecked = 4096;

// Adds the first of the reads [begin, end) that has a wrong letter, if one has.
inline void add_wrong_read(const Read *reads, int64_t begin, int64_t end, FirstIndex *wrong) {
    while (begin < end && wrong_letter(reads[begin].letters, reads[begin].length) < 0) begin++;
    if (begin < end) wrong->add(begin);
}

}  // namespace gkl_shim::correct

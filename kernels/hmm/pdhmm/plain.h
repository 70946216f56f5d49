// The plain recurrence, for pairs that leave the range of the scaled one and for reads that cannot
// be scaled. It is not vectorized, because such pairs are rare.
#pragma once

#include <vector>

#include "hmm/cpu/build.h"
#include "hmm/pdhmm/plan.h"

namespace gkl_shim::pdhmm {

// A thread's memory.
struct PlainMemory {
    std::vector<Deletion> deletions;
    std::vector<LetterSet> letters;
};

// The log10 likelihood of a pair. With `as_gatk` it is computed as GATK's Java does: in double
// precision from 2^1020 / n, so that a likelihood below about 1e-630 is -Infinity. Otherwise
// numbers have an exponent of 64 bits, and the result is -Infinity only if the model itself gives
// zero.
double plain_likelihood(bool as_gatk, const Alphabet &alphabet, const ReadView &read,
                        const Haplotype &haplotype, PlainMemory *memory);

}  // namespace gkl_shim::pdhmm

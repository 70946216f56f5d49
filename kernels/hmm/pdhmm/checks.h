// What a batch of PDHMM, and a text of it, must fulfil.
#pragma once

#include <stdint.h>

#include "hmm/batch.h"
#include "hmm/pdhmm/model.h"

namespace gkl_shim {
namespace pdhmm {

constexpr hmm::Limits kLimits = {GKL_SHIM_PDHMM_LONGEST_READ, GKL_SHIM_PDHMM_LONGEST_HAPLOTYPE,
                                 GKL_SHIM_PDHMM_REGION_LETTERS};

constexpr char kWrongFlags[] =
    "the flags of other bases (8 to 128) need SNP (1), and SNP needs one of them";

// The position of the first byte that `is_wrong` accepts, or -1. Looks at blocks of bytes, because
// compilers do not vectorize a loop that may end at any byte.
template <class IsWrong>
int64_t find(const uint8_t *bytes, int64_t count, IsWrong is_wrong) {
    enum { kBlock = 256 };
    for (int64_t begin = 0; begin < count; begin += kBlock) {
        const int64_t end = begin + kBlock < count ? begin + kBlock : count;
        uint8_t any = 0;
        for (int64_t k = begin; k < end; k++) any |= uint8_t(is_wrong(bytes[k]));
        if (!any) continue;
        for (int64_t k = begin;; k++)
            if (is_wrong(bytes[k])) return k;
    }
    return -1;
}

// The position of the first letter whose flags contradict themselves, or -1.
inline int64_t find_wrong_flags(const uint8_t *flags, int64_t count) {
    return find(flags, count,
                [](uint8_t each) { return bool(each & kSnp) != (each >= kAlternativeA); });
}

}  // namespace pdhmm
}  // namespace gkl_shim

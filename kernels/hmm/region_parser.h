// The parser of regions in text: the .in format of PairHMM, and the one of PDHMM.
#pragma once

#include "gkl_shim.h"
#include "hmm/batch.h"

namespace gkl_shim::hmm {

// What a format allows. In PDHMM's, a haplotype has a second field: the flags of its letters.
struct RegionFormat {
    Limits limits;
    // Returns the index of the first flags that contradict themselves, or -1. Null if haplotypes
    // have no flags.
    int64_t (*find_wrong_flags)(const uint8_t *flags, int64_t count) = nullptr;
    const char *wrong_flags = nullptr;  // what is wrong with these
};

// Parses a text as gkl_shim_pairhmm_parse() says, with its arguments. *flags becomes the first of
// the haplotypes' flags in `letters`, if the format has flags.
gkl_shim_status parse_regions(const RegionFormat &format, const uint8_t *text, int64_t size,
                              int64_t longest_line, int32_t threads, int64_t *offsets,
                              uint8_t *letters, gkl_shim_pairhmm_text *out, const uint8_t **flags);

}  // namespace gkl_shim::hmm

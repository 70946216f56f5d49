// The text of a region in a recording of PairHMM or PDHMM: the .in format.
#pragma once

#include <string>

#include "gkl_shim.h"

namespace gkl_shim::jni {

// How much a record had to change.
struct Replaced {
    int64_t quals = 0;    // above 93, the highest that Phred+33 can print; they become 93
    int64_t letters = 0;  // of PDHMM, other than ACGTN; they become A
};

// Appends a region, and adds to *replaced.
//
// The text is as gkl_shim_pairhmm_parse() and gkl_shim_pdhmm_parse() read it. `haplotype_flags` is
// null for PairHMM. Bytes other than ACGTN are written as A. PairHMM's engine reads them as A, too;
// PDHMM's compares bytes.
void append_region(const gkl_shim_pairhmm_batch &region, const uint8_t *haplotype_flags,
                   std::string *to, Replaced *replaced);

}  // namespace gkl_shim::jni

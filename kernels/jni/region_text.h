// The text of a region in a recording of PairHMM or PDHMM: the .in format.
#pragma once

#include <stdint.h>

#include <string>

#include "gkl_shim.h"

namespace gkl_shim {
namespace jni {

// Appends a region and returns the number of qualities above 93, the highest that Phred+33 can
// print. They become 93.
//
// A region is a line `R H`, R lines `bases quals insertion deletion continuation` with qualities as
// Phred+33, and H lines of haplotype bases. PDHMM's have a second field: two hexadecimal digits of
// flags a base. `haplotype_flags` is null for PairHMM. Bases are recorded as PairHMM's engine uses
// them: any byte other than ACGTN becomes A.
int64_t append_region(const gkl_shim_pairhmm_batch &region, const uint8_t *haplotype_flags,
                      std::string *to);

}  // namespace jni
}  // namespace gkl_shim

// What the flags, letters and qualities of PDHMM must fulfil.
#pragma once

#include "gkl_shim.h"

namespace gkl_shim::pdhmm {

constexpr char kWrongFlags[] =
    "the flags of other bases (8 to 128) need SNP (1), and SNP needs one of them";

// The position of the first letter whose flags contradict themselves, or -1.
int64_t find_wrong_flags(const uint8_t *flags, int64_t count);

// Checks a batch whose shape has been checked. Returns false if something is wrong, and the last
// error then says what. `as_gatk`: all letters and flags are accepted.
bool check_content(const gkl_shim_pdhmm_batch &batch, bool as_gatk);

}  // namespace gkl_shim::pdhmm

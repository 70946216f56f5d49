// The letters of a chunk's haplotypes.
#pragma once

#include <stdint.h>

namespace gkl_shim::pairhmm {

// Encodes bytes as encode() does, with AVX2 if the CPU has it. Returns the position of the first
// byte that the conventions refuse, or -1. `letters` is a multiple of 32.
int64_t encode_letters(bool as_gkl, const uint8_t *bases, int64_t count, uint8_t *letters);

}  // namespace gkl_shim::pairhmm

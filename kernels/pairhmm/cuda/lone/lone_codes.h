// What a chunk's block holds of the reads' bases and of the haplotypes' letters. Where the CPU has
// AVX2, that computes them.
#pragma once

#include <stdint.h>

namespace gkl_shim {
namespace pairhmm {

// Writes the code of each base and its quality (kCodedQualities). Returns the highest quality; from
// kCodedQualities on, there are no codes.
uint8_t code_bases(bool as_gkl, const uint8_t *bases, const uint8_t *quals, int64_t count,
                   uint8_t *codes);

// Writes the letter of each byte. Returns the position of the first byte that the conventions
// refuse, or -1.
int64_t code_letters(bool as_gkl, const uint8_t *bases, int64_t count, uint8_t *letters);

}  // namespace pairhmm
}  // namespace gkl_shim

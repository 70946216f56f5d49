// The letters of an encoded sequence.
#pragma once

#include "common/integers.h"

namespace gkl_shim::hmm {

enum Letter : uint8_t { kA = 0, kC = 1, kG = 2, kT = 3, kN = 4, kLetters = 5 };

}  // namespace gkl_shim::hmm

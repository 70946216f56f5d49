// An encoded haplotype.
#pragma once

#include "hmm/plan.h"

namespace gkl_shim {
namespace pairhmm {

using namespace hmm;

// A haplotype and the length of its head (plan.h). It is cut in the middle unless Cutter chooses
// another place, or leaves it whole.
struct Haplotype : Letters {
    Haplotype() = default;
    Haplotype(const uint8_t *encoded, int64_t count) : Letters{encoded, count}, cut(count / 2) {}

    int64_t cut;
};

}  // namespace pairhmm
}  // namespace gkl_shim

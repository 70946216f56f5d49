// Encoded sequences.
#pragma once

#include <stdint.h>

namespace gkl_shim {
namespace pairhmm {

struct Letters {
    const uint8_t *letters;
    int64_t length;
};

// A haplotype and the length of its head (plan.h). It is cut in the middle unless Cutter chooses
// another place.
struct Haplotype : Letters {
    Haplotype() = default;
    Haplotype(const uint8_t *encoded, int64_t count) : Letters{encoded, count}, cut(count / 2) {}

    int64_t cut;
};

// The number of letters that both share, given that they share the first `from`.
int64_t common_prefix(const Letters &a, const Letters &b, int64_t from);

// Writes letters to `to` from last to first.
void reverse(const uint8_t *from, int64_t count, uint8_t *to);

}  // namespace pairhmm
}  // namespace gkl_shim

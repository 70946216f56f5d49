#include "smithwaterman/cpu/lanes.h"

#include <string.h>

#include <algorithm>
#include <limits>

#include "smithwaterman/cpu/build.h"

namespace gkl_shim::smithwaterman {
namespace {

// Whether lanes of type Lane give Java's results for a pair. kernel.inc defines u, v, e, f and z.
//
// gap_open must not be above gap_extend, nor gap_extend above 0. Let `best` be the higher of match
// and mismatch. H(i,j) is at least H(i-1,j) + gap_open, and so is the border, so u and v are at
// least gap_open. E(i,j) is at most H(i,j-1), and F(i,j) at most H(i-1,j). It follows that u, v, e,
// f and z are at most max(best - gap_open, 0), and that e and f are at least 2 gap_open. A gap from
// the border leads to every cell, so H is above 4 gap_open + gap_extend * (n + m). It is at most
// best * min(n, m). So Java's integers neither wrap around nor reach kLowest.
template <class Lane>
bool fits(const Pair &pair) {
    typedef std::numeric_limits<Lane> Limits;
    const gkl_shim_smithwaterman_parameters &p = pair.parameters;
    constexpr int64_t kBillion = 1000000000;
    if (p.gap_open > p.gap_extend || p.gap_extend > 0) return false;
    if (std::min(p.match, p.mismatch) < -kBillion) return false;
    const int64_t gap = p.gap_open, extend = p.gap_extend;
    const int64_t best = std::max(p.match, p.mismatch);
    const int64_t most = std::max<int64_t>(best - gap, 0) - 2 * extend;
    const int64_t least = 2 * gap - 1 - 2 * extend;
    return most <= Limits::max() && least + gap - extend >= Limits::min() &&
           4 * gap + extend * (pair.n + pair.m) > kLowest &&
           best * std::min(pair.n, pair.m) < kBillion;
}

}  // namespace

Lanes lanes_for(const Pair &pair) {
    if (!fits<int16_t>(pair)) return Lanes::kExact;
    const bool narrow = fits<int8_t>(pair) && !memchr(pair.alternative, kNoLetter, size_t(pair.m));
    return narrow ? Lanes::kNarrow : Lanes::kWide;
}

}  // namespace gkl_shim::smithwaterman

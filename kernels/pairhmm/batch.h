// The check of a batch's shape, on which every engine relies.
#pragma once

#include <stdint.h>

#include "gkl_shim.h"

namespace gkl_shim {
namespace pairhmm {

// Checks that the offsets are in order, that all sequences and regions are within the limits of
// gkl_shim.h, and that the pairs and cells can be counted. Otherwise returns false, and the last
// error says what is wrong. Reads no base and no quality.
bool check_shape(const gkl_shim_pairhmm_batch &batch, int64_t *pairs, int64_t *cells);

}  // namespace pairhmm
}  // namespace gkl_shim

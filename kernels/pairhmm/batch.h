// What every engine relies on about a batch's shape.
#pragma once

#include <stdint.h>

#include "gkl_shim.h"

namespace gkl_shim {
namespace pairhmm {

// Whether the offsets are in order, the sequences no longer than they may be, and the pairs and
// cells countable; else the last error says what is wrong. Looks at no base or quality.
bool check_shape(const gkl_shim_pairhmm_batch &batch, int64_t *pairs, int64_t *cells);

}  // namespace pairhmm
}  // namespace gkl_shim

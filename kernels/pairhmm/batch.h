// What every engine relies on about the shape of a batch.
#pragma once

#include <stdint.h>

#include "gkl_shim.h"

namespace gkl_shim {
namespace pairhmm {

// Whether the offsets are in order, every sequence and region is within the limits of gkl_shim.h,
// and the pairs and cells can be counted; else the last error says what is wrong. Reads no base
// and no quality.
bool check_shape(const gkl_shim_pairhmm_batch &batch, int64_t *pairs, int64_t *cells);

}  // namespace pairhmm
}  // namespace gkl_shim

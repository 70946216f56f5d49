// The limits of a batch of PairHMM, and of a text of it.
#pragma once

#include "gkl_shim.h"
#include "hmm/batch.h"

namespace gkl_shim {
namespace pairhmm {

using namespace hmm;

constexpr Limits kLimits = {GKL_SHIM_PAIRHMM_LONGEST_READ, GKL_SHIM_PAIRHMM_LONGEST_HAPLOTYPE,
                            GKL_SHIM_PAIRHMM_REGION_LETTERS};

}  // namespace pairhmm
}  // namespace gkl_shim

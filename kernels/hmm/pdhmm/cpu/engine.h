// The CPU engine: a batch of regions in, log10 likelihoods out.
#pragma once

#include <stdint.h>

#include "common/cpu_builds.h"
#include "gkl_shim.h"
#include "hmm/pdhmm/cpu/build.h"

namespace gkl_shim {
namespace pdhmm {

const Builds<CpuBuild> &cpu_builds();

struct CpuSettings {
    const CpuBuild *build;
    int threads;
    bool as_gatk;
};

// What one call did, for the handle's statistics.
struct CpuCounts {
    int64_t computed_cells = 0, rescued_pairs = 0;
};

// Expects a checked batch. Throws std::bad_alloc.
CpuCounts compute_on_cpu(const CpuSettings &settings, const gkl_shim_pdhmm_batch &batch,
                         double *log10_likelihoods);

}  // namespace pdhmm
}  // namespace gkl_shim

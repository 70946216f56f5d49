// What the CPU engine does for its callers: the C ABI, and the CUDA engine for some pairs. A batch
// of regions in, log10 likelihoods out.
#pragma once

#include "common/builds/cpu_builds.h"
#include "gkl_shim.h"

namespace gkl_shim::hmm {

struct CpuBuild;  // cpu/build.h

const Builds<CpuBuild> &cpu_builds();

struct CpuSettings {
    const CpuBuild *build;
    int threads;
    bool double_precision;      // PDHMM has no other
    bool as_gkl;                // PDHMM: as GATK's Java
    bool only_missing = false;  // compute only pairs whose value is NaN, in double precision
};

// What one call did, for the handle's statistics.
struct CpuCounts {
    int64_t computed_cells = 0, rescued_pairs = 0, rescaled_pairs = 0;
};

// PairHMM and PDHMM. Both expect a checked batch, and throw std::bad_alloc.
CpuCounts compute_on_cpu(const CpuSettings &settings, const gkl_shim_pairhmm_batch &batch,
                         double *log10_likelihoods);
CpuCounts compute_on_cpu(const CpuSettings &settings, const gkl_shim_pdhmm_batch &batch,
                         double *log10_likelihoods);

}  // namespace gkl_shim::hmm

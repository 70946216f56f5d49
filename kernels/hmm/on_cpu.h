// What the CPU engine does for its callers: the C ABI, and the CUDA engine for some pairs. A batch
// of regions in, log10 likelihoods out.
#pragma once

#include <mutex>

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

// PairHMM and PDHMM. Both expect a checked batch, and throw std::bad_alloc. They return
// computed_cells, rescued_pairs and rescaled_pairs; the other statistics are 0.
gkl_shim_pairhmm_stats compute_on_cpu(const CpuSettings &settings,
                                      const gkl_shim_pairhmm_batch &batch,
                                      double *log10_likelihoods);
gkl_shim_pairhmm_stats compute_on_cpu(const CpuSettings &settings,
                                      const gkl_shim_pdhmm_batch &batch, double *log10_likelihoods);

// The statistics of all calls together.
class Totals {
   public:
    void add(const gkl_shim_pairhmm_stats &call) {
        const std::lock_guard<std::mutex> lock(mutex_);
        sum_.regions += call.regions;
        sum_.pairs += call.pairs;
        sum_.cells += call.cells;
        sum_.computed_cells += call.computed_cells;
        sum_.rescued_pairs += call.rescued_pairs;
        sum_.rescaled_pairs += call.rescaled_pairs;
        sum_.cuda_pairs += call.cuda_pairs;
        sum_.seconds += call.seconds;
    }
    gkl_shim_pairhmm_stats get() const {
        const std::lock_guard<std::mutex> lock(mutex_);
        return sum_;
    }

   private:
    mutable std::mutex mutex_;
    gkl_shim_pairhmm_stats sum_ = {};
};

}  // namespace gkl_shim::hmm

// The CPU engine: pairs in, distances out.
#pragma once

#include "common/builds/cpu_builds.h"
#include "gkl_shim.h"
#include "prefilter/cpu/build.h"

namespace gkl_shim::prefilter {

const Builds<CpuBuild> &cpu_builds();

struct CpuSettings {
    const CpuBuild *build;
    int threads;
    bool gatekeeper;
    int32_t mode, max_edits;
};

// Expects checked pairs. Throws std::bad_alloc.
void compute_on_cpu(const CpuSettings &settings, int64_t pairs,
                    const gkl_shim_prefilter_sequences &reads,
                    const gkl_shim_prefilter_sequences &segments, int16_t *results);

}  // namespace gkl_shim::prefilter

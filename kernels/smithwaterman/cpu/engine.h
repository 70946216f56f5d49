// The CPU engine: pairs in, offsets and CIGARs out.
#pragma once

#include "common/builds/cpu_builds.h"
#include "gkl_shim.h"
#include "smithwaterman/cpu/build.h"

namespace gkl_shim::smithwaterman {

const Builds<CpuBuild> &cpu_builds();

struct CpuSettings {
    const CpuBuild *build;
    int threads;
    bool exact = false;  // Java's arithmetic, one cell at a time, for all pairs
};

// Expects a checked batch. Throws std::bad_alloc.
void align_on_cpu(const CpuSettings &settings, const gkl_shim_smithwaterman_batch &batch,
                  const gkl_shim_smithwaterman_parameters &parameters, int64_t *offsets,
                  int64_t *cigar_offsets, char *cigars);

}  // namespace gkl_shim::smithwaterman

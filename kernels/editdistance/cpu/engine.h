// The CPU engine: pairs in, distances out.
#pragma once

#include <stdint.h>

#include "common/builds.h"
#include "editdistance/cpu/build.h"

namespace gkl_shim {
namespace editdistance {

const Builds<CpuBuild> &cpu_builds();

// Sequence k is [offsets[k], offsets[k + 1]) of the letters.
struct Sequences {
    const int64_t *offsets;
    const uint8_t *letters;

    int32_t length(int64_t k) const { return int32_t(offsets[k + 1] - offsets[k]); }
};

// Expects checked pairs. Throws std::bad_alloc.
void compute_on_cpu(const CpuBuild &build, int threads, int64_t pairs, const Sequences &first,
                    const Sequences &second, int32_t *distances);

}  // namespace editdistance
}  // namespace gkl_shim

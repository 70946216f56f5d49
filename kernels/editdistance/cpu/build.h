// What one CPU build offers to engine.cpp. Each instruction set has its own build, compiled from
// cpu/lanes.inc.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace gkl_shim {
namespace editdistance {

// Pairs side by side, one a lane. Lanes that have no pair have length 0.
enum { kMaxLanes = 32 };
struct Group {
    const uint8_t *first[kMaxLanes], *second[kMaxLanes];
    int32_t rows[kMaxLanes], columns[kMaxLanes];  // lengths
    int32_t distance[kMaxLanes];                  // output
};

struct CpuBuild {
    const char *name;
    int lanes;
    // In bytes; aligned to 64 bytes.
    size_t (*workspace)(int32_t most_rows, int32_t most_columns);
    void (*compute)(Group *group, void *workspace);
};

extern const CpuBuild kPortableBuild, kAvx2Build, kAvx512Build, kNeonBuild;

}  // namespace editdistance
}  // namespace gkl_shim

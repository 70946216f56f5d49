// What a CPU build of the filters offers to cpu.cpp: one struct of functions for each instruction
// set, all compiled from cpu_lanes.inc.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "prefilter/model.h"

namespace gkl_shim {
namespace prefilter {

// A sequence in a caller's array: letters, or bit planes in which it starts at any base.
struct SequenceView {
    const uint8_t *letters;  // of the sequence; null where there are planes:
    const uint32_t *low, *high, *undefined;
    int64_t start;      // in the planes
    int64_t available;  // bases that may be read from the sequence's first on, its own included
    int32_t length;
};

struct PairView {
    SequenceView read, segment;
    int32_t order;  // of the pair, among those asked for
};

enum { kMaxLanes = 32, kMaxLength = 10000 };

// Up to a build's number of lanes of pairs, side by side: all with the same difference of lengths,
// and so the same band; the longest first.
struct Group {
    const PairView *pairs;
    int32_t count;
    int32_t mode, max_edits;
    int16_t *results;  // [pair's order]
};

// A way to compute groups whose bands are at most `width` wide.
struct LaneKernel {
    int lanes;
    int32_t width;
    size_t (*workspace)(const Group &group);  // bytes, on a 64-byte boundary
    void (*compute)(const Group &group, void *workspace);
};

struct CpuBuild {
    const char *name;
    LaneKernel narrow, wide, wider, blocks;
    // Both of a length.
    void (*gatekeeper)(const PairView &pair, int32_t max_edits, int16_t *result);
    // Any number of letters to planes, whole words; bits beyond the letters are zero.
    void (*encode)(const uint8_t *letters, int64_t count, uint32_t *low, uint32_t *high,
                   uint32_t *undefined);
};

extern const CpuBuild kPortableBuild, kAvx2Build, kAvx512Build, kNeonBuild;

}  // namespace prefilter
}  // namespace gkl_shim

// What a CPU build of the filters offers to engine.cpp: one struct of functions for each
// instruction set, all compiled from cpu/lanes.inc.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "gkl_shim.h"
#include "prefilter/model.h"

namespace gkl_shim {
namespace prefilter {

enum { kMaxLanes = 32, kMaxLength = 10000 };

static inline int32_t length_of(const gkl_shim_prefilter_sequences &sequences, int64_t k) {
    return sequences.lengths ? sequences.lengths[k] : sequences.length;
}

static inline int64_t start_of(const gkl_shim_prefilter_sequences &sequences, int64_t k) {
    return sequences.starts ? sequences.starts[k] : k * sequences.stride;
}

// Up to a build's number of lanes of pairs, side by side: all with the same difference of lengths,
// and so the same band; the longest first.
struct Group {
    const gkl_shim_prefilter_sequences *reads, *segments;
    int64_t first;  // the pairs are first + order[0], first + order[1] ...
    const int32_t *order;
    int32_t count;
    int32_t mode, max_edits;
    int16_t *results;  // [pair]
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
    int16_t (*gatekeeper)(const gkl_shim_prefilter_sequences &reads,
                          const gkl_shim_prefilter_sequences &segments, int64_t pair,
                          int32_t max_edits);
    // Whether a letter of sequence k is undefined.
    bool (*undefined)(const gkl_shim_prefilter_sequences &sequences, int64_t k);
    // Any number of letters to planes, whole words; bits beyond the letters are zero. Says
    // whether one is undefined.
    bool (*encode)(const uint8_t *letters, int64_t count, uint32_t *low, uint32_t *high,
                   uint32_t *undefined);
};

extern const CpuBuild kPortableBuild, kAvx2Build, kAvx512Build, kNeonBuild;

}  // namespace prefilter
}  // namespace gkl_shim

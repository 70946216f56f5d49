// What one CPU build of the filters offers to engine.cpp: a struct of functions. Each instruction
// set has its own build, compiled from cpu/build.cpp.
#pragma once

#include <stddef.h>

#include "gkl_shim.h"
#include "prefilter/model.h"
#include "prefilter/sequences.h"

namespace gkl_shim::prefilter {

enum {
    kMaxLanes = 32,
    kMaxLength = GKL_SHIM_PREFILTER_MAX_LENGTH,
    // Of a read of kMaxLength bases, with room for edits at both ends.
    kMaxSegment = kMaxLength + 2 * GKL_SHIM_PREFILTER_MAX_EDITS
};

// Pairs side by side, one a lane, at most as many as the build has lanes. All have the same
// difference of lengths and thus the same band. The longest comes first.
struct Group {
    const gkl_shim_prefilter_sequences *reads, *segments;
    int64_t first;  // the pairs are first + order[0], first + order[1], ...
    const int32_t *order;
    int32_t count;
    int32_t mode, max_edits;
    int16_t *results;  // indexed by pair
};

// Computes groups whose band is at most `width` wide.
struct LaneKernel {
    int lanes;
    int32_t width;
    size_t (*workspace)(const Group &group);  // in bytes; aligned to 64 bytes
    void (*compute)(const Group &group, void *workspace);
};

struct CpuBuild {
    const char *name;
    LaneKernel exact[4];  // for wider and wider bands, the last one for any
    // The read and the segment have the same length.
    int16_t (*gatekeeper)(const gkl_shim_prefilter_sequences &reads,
                          const gkl_shim_prefilter_sequences &segments, int64_t pair,
                          int32_t max_edits);
    // Whether sequence k has an undefined letter.
    bool (*undefined)(const gkl_shim_prefilter_sequences &sequences, int64_t k);
    // Encodes any number of letters to planes of whole words, with zero bits after the letters.
    // Returns whether a letter is undefined.
    bool (*encode)(const uint8_t *letters, int64_t count, uint32_t *low, uint32_t *high,
                   uint32_t *undefined);
};

extern const CpuBuild kPortableBuild, kAvx2Build, kAvx512Build, kNeonBuild;

}  // namespace gkl_shim::prefilter

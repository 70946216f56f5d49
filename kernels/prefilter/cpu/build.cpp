// A build of the CPU engine's arithmetic, compiled once for each instruction set
// (common/builds/instruction_set.h).
//
// This file uses no C++ library and exports only the build's struct; common/simd.h says why.

#include "prefilter/cpu/build.h"

#include <string.h>

#include "common/builds/instruction_set.h"
#include "prefilter/cpu/exact.inc"
#include "prefilter/cpu/planes.inc"

namespace gkl_shim::prefilter {
namespace {

// GateKeeper's estimate of one pair.
int16_t gatekeeper_pair(const gkl_shim_prefilter_sequences &reads,
                        const gkl_shim_prefilter_sequences &segments, int64_t pair,
                        int32_t max_edits) {
    enum { kWords = (kMaxLength + 63) / 64 };
    uint64_t planes[4][kWords];
    uint64_t undefined = 0;
    const int32_t length = length_of(reads, pair);
    const int64_t read_start = start_of(reads, pair), segment_start = start_of(segments, pair);
    for (int32_t word = 0; 64 * word < length; word++) {
        const int32_t count = least(length - 64 * word, 64);
        const Planes read = bases64(reads, read_start + 64 * word, count);
        const Planes segment = bases64(segments, segment_start + 64 * word, count);
        planes[0][word] = read.low;
        planes[1][word] = read.high;
        planes[2][word] = segment.low;
        planes[3][word] = segment.high;
        undefined |= read.undefined | segment.undefined;
    }
    if (undefined) return kUndefined;
    uint32_t words[4][2 * kWords];
    for (int plane = 0; plane < 4; plane++)
        memcpy(words[plane], planes[plane], size_t(length + 63) / 64 * 8);
    return int16_t(gatekeeper({words[0], words[1], words[2], words[3], length}, max_edits));
}

}  // namespace

extern const CpuBuild GKL_SHIM_BUILD = {
    GKL_SHIM_BUILD_NAME,
    {Lanes<uint16_t, GKL_SHIM_BYTES, false>::kernel(),
     Lanes<uint32_t, GKL_SHIM_BYTES, false>::kernel(),
     Lanes<uint64_t, GKL_SHIM_BYTES, false>::kernel(),
     Lanes<uint64_t, GKL_SHIM_BYTES, true>::kernel()},
    gatekeeper_pair,
    undefined_sequence,
    encode,
};

}  // namespace gkl_shim::prefilter

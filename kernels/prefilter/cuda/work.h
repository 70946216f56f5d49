// The arguments of the CUDA kernels. The kernels and the engine share these declarations.
// Addresses are in device memory.
#pragma once

#include "prefilter/model.h"

namespace gkl_shim::prefilter {

// Threads of a block, and words of padding at each end of a plane.
enum { kThreads = 128, kPadding = 8 };

// Where the sequences of the pairs are.
struct Places {
    const int64_t *starts;   // in bases; null: at multiples of `stride`
    int64_t stride, origin;  // device memory holds the bases from `origin` on
    const int32_t *lengths;  // null: all have `length`
    int32_t length;

    GKL_SHIM_METHOD int64_t start(int64_t k) const {
        return (starts ? starts[k] : k * stride) - origin;
    }
    GKL_SHIM_METHOD int32_t size(int64_t k) const { return lengths ? lengths[k] : length; }
};

struct Planes {
    const uint32_t *low, *high, *undefined;  // `undefined` is null if every base is defined;
    const uint32_t *any;  // if `any` is not null, `undefined` matters only if *any is not 0
    int64_t words;        // without the padding

    GKL_SHIM_METHOD bool some_undefined() const { return undefined && (!any || *any); }
};

// The input of a launch: either pairs from two lists of sequences, or a mapper's candidates, given
// by the reads' numbers and the positions of the segments in contigs.
struct Work {
    Planes read_planes, segment_planes;
    Places reads, segments;
    const int32_t *read_numbers;  // null: pairs
    int32_t strand;               // added to a read's number, gives its reverse complement
    const int32_t *contigs;       // null: there is one contig
    const void *positions;        // int64 or int32
    const uint8_t *reverse;       // null: none is reversed
    int32_t wide;                 // positions are int64
    int32_t contig_count, read_count;
    int32_t before, after;  // bases of a segment before the position and after the read's length
    int32_t clipped;        // whether a segment may be shorter because its contig ends
    unsigned long long *fault;  // the lowest number of a candidate that is out of range
    int16_t *results;
    int64_t count;
};

}  // namespace gkl_shim::prefilter

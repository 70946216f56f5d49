// What a call computes: pairs of two lists, or a mapper's candidates.
#pragma once

#include "gpu/devices.h"
#include "gpu/ranges.h"
#include "prefilter/cuda/block.h"
#include "prefilter/cuda/filter_kernels.h"
#include "prefilter/cuda/sources/sequences.h"
#include "prefilter/cuda/work.h"

namespace gkl_shim::prefilter {

// Pairs of a call, which go to a device at once.
struct Range : gpu::Range {
    Widths widths;
    Bases bases[2];  // that its reads and segments take of their buffers, if these are sent
};

// The input of a call. A derived class defines what a chunk sends, and what its kernels get.
class Source {
   public:
    virtual ~Source() = default;

    // The average number of bytes that a pair sends.
    virtual double pair_bytes() const = 0;

    virtual Range range(const gpu::Range &pairs) const = 0;
    // Lays the range out in a block. The rest of Work is the chunk's.
    virtual Work lay_out(const Range &range, const gpu::Device &device, void *stream,
                         Block *block) = 0;
};

}  // namespace gkl_shim::prefilter

// What a call computes: pairs of two lists, or a mapper's candidates.
#pragma once

#include <stdint.h>

#include "gpu/devices.h"
#include "prefilter/cuda/block.h"
#include "prefilter/cuda/filter_kernels.h"
#include "prefilter/cuda/sequences.h"
#include "prefilter/cuda/work.h"

namespace gkl_shim {
namespace prefilter {

// Pairs [first, last) of a call, which go to a device at once.
struct Range {
    int64_t first, last;
    Widths widths;
    Bases bases[2];  // that its reads and segments take of their buffers, if these are sent

    int64_t count() const { return last - first; }
};

// The input of a call. A derived class defines what a chunk sends, and what its kernels get.
class Source {
   public:
    virtual ~Source() = default;

    // The average number of bytes that a pair sends.
    virtual double pair_bytes() const = 0;

    virtual Range range(int64_t first, int64_t last) const = 0;
    // Lays the range out in a block. The rest of Work is the chunk's.
    virtual Work lay_out(const Range &range, const gpu::Device &device, void *stream,
                         Block *block) = 0;
};

}  // namespace prefilter
}  // namespace gkl_shim

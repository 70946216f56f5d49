// Pairs of two lists of sequences, as the source of chunks.
#pragma once

#include <memory>

#include "prefilter/cuda/sources/device_sequences.h"
#include "prefilter/cuda/sources/source.h"

namespace gkl_shim::prefilter {

// The pairs of two lists. A chunk sends the part of each list's buffer in which its sequences lie.
// If both lists have the same buffer of letters, one part is sent for both. A buffer in which the
// sequences are scattered is sent once as a whole.
class Pairs : public Source {
   public:
    // `encode`: where letters are encoded, as in gkl_shim_prefilter_cuda_options.
    Pairs(const CudaDriver &driver, const Sequences &reads, const Sequences &segments,
          int64_t first, int64_t last, int32_t encode, int threads);

    double pair_bytes() const override { return pair_bytes_; }
    Range range(const gpu::Range &pairs) const override;
    Work lay_out(const Range &range, const gpu::Device &device, void *stream,
                 Block *block) override;

   private:
    const Sequences lists_[2];
    const int32_t encode_;
    std::unique_ptr<DeviceSequences> whole_[2];  // buffers that are sent as a whole
    bool shared_;
    double pair_bytes_ = 0;
};

}  // namespace gkl_shim::prefilter

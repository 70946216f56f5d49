// A mapper's candidates, as the source of chunks.
#pragma once

#include "gkl_shim_internal.h"
#include "prefilter/cuda/sources/device_sequences.h"
#include "prefilter/cuda/sources/source.h"

// Reads and contigs that stay on the devices.
struct gkl_shim_prefilter_cuda_resident {
    gkl_shim_prefilter_cuda_resident(const gkl_shim::CudaDriver &driver,
                                     const gkl_shim_prefilter_cuda_references &references,
                                     int threads);

    gkl_shim::prefilter::DeviceSequences reads, contigs;
    const int32_t read_count, contig_count;
    int32_t longest = 0;  // read
};

namespace gkl_shim::prefilter {

// Pairs of a read and a place in a contig. A chunk sends their numbers and positions. The sequences
// are on the devices already.
class Candidates : public Source {
   public:
    Candidates(gkl_shim_prefilter_cuda_resident *resident,
               const gkl_shim_prefilter_cuda_candidates &candidates, const Method &method);

    double pair_bytes() const override;
    Range range(const gpu::Range &pairs) const override;
    Work lay_out(const Range &range, const gpu::Device &device, void *stream,
                 Block *block) override;

   private:
    gkl_shim_prefilter_cuda_resident &resident_;
    const gkl_shim_prefilter_cuda_candidates candidates_;
    const bool clipped_;
    const int32_t before_, after_;
};

}  // namespace gkl_shim::prefilter

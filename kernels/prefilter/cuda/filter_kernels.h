// The choice and the launch of the kernels that compute a chunk.
#pragma once

#include "gkl_shim_internal.h"
#include "gpu/driver.h"
#include "gpu/kept_memory.h"
#include "prefilter/cuda/work.h"

namespace gkl_shim::prefilter {

struct Method {
    bool gatekeeper;
    int32_t mode, max_edits;
    int64_t state_bytes;  // limit on the memory for the state of the widest bands

    // No band is wider where no segment is more than `longer` bases longer than its read.
    int32_t widest(int32_t longer) const;
};

// The facts that decide which kernels compute a chunk.
struct Widths {
    int32_t longest;  // read
    int32_t longer;   // the most bases by which a segment is longer than its read
};

// The kernels of one chunk, on its stream.
class FilterKernels {
   public:
    FilterKernels(const CudaDriver &driver, void *stream,
                  const gkl_shim_prefilter_cuda_kernels &kernels, const Method &method)
        : driver_(driver), stream_(stream), kernels_(kernels), method_(method) {}
    FilterKernels(const FilterKernels &) = delete;

    void encode(const uint8_t *letters, int64_t count, const Planes &planes) const;
    void filter(const Work &work, const Widths &widths);

   private:
    void launch(void *kernel, int64_t blocks, void **parameters) const;

    const CudaDriver &driver_;
    void *const stream_;
    const gkl_shim_prefilter_cuda_kernels &kernels_;
    const Method &method_;
    gpu::KeptMemory<uint64_t> state_;  // of the widest bands
};

}  // namespace gkl_shim::prefilter

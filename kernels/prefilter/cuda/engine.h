// The CUDA engine, for this library's own callers.
#pragma once

#include <vector>

#include "gkl_shim_internal.h"
#include "gpu/engine.h"
#include "prefilter/cuda/filter_kernels.h"
#include "prefilter/cuda/sources/candidates.h"
#include "prefilter/cuda/sources/source.h"

namespace gkl_shim::prefilter {

// The devices, kernels and settings that calls filter with.
class CudaEngine : public gkl_shim_cuda_engine {
   public:
    explicit CudaEngine(const gkl_shim_prefilter_cuda_options &options);

    // Filters the pairs [call->first, call->last) of two lists.
    gkl_shim_status compute(const gkl_shim_prefilter_sequences &reads,
                            const gkl_shim_prefilter_sequences &segments, int16_t *results,
                            gkl_shim_prefilter_cuda_call *call);
    // Filters the candidates [call->first, call->last).
    gkl_shim_status compute(gkl_shim_prefilter_cuda_resident *resident,
                            const gkl_shim_prefilter_cuda_candidates &candidates, int16_t *results,
                            gkl_shim_prefilter_cuda_call *call);

    const int32_t threads;
    const Method method;
    const int32_t encode;
    const std::vector<gkl_shim_prefilter_cuda_device> hardware;

   private:
    gkl_shim_status run(Source *source, int16_t *results, gkl_shim_prefilter_cuda_call *call);
    int64_t chunk_pairs(const Source &source) const;

    const int64_t chunk_bytes_, memory_bytes_;
};

}  // namespace gkl_shim::prefilter

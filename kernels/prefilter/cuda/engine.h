// The CUDA engine, for this library's own callers.
#pragma once

#include <stdint.h>

#include <vector>

#include "gkl_shim_internal.h"
#include "gpu/devices.h"
#include "gpu/driver.h"
#include "prefilter/cuda/filter_kernels.h"
#include "prefilter/cuda/source.h"

// The devices, kernels and settings that calls filter with.
struct gkl_shim_prefilter_cuda {
   public:
    explicit gkl_shim_prefilter_cuda(const gkl_shim_prefilter_cuda_options &options);

    // Filters the pairs [call->first, call->last) of two lists.
    gkl_shim_status compute(const gkl_shim_prefilter_sequences &reads,
                            const gkl_shim_prefilter_sequences &segments, int16_t *results,
                            gkl_shim_prefilter_cuda_call *call);
    // Filters the candidates [call->first, call->last).
    gkl_shim_status compute(gkl_shim_prefilter_cuda_resident *resident,
                            const gkl_shim_prefilter_cuda_candidates &candidates, int16_t *results,
                            gkl_shim_prefilter_cuda_call *call);

    const int32_t threads;
    const gkl_shim::prefilter::Method method;
    const int32_t encode;
    const gkl_shim::CudaDriver driver;
    const std::vector<gkl_shim_prefilter_cuda_device> hardware;
    gkl_shim::gpu::Devices devices;

   private:
    gkl_shim_status run(gkl_shim::prefilter::Source *source, int16_t *results,
                        gkl_shim_prefilter_cuda_call *call);
    int64_t chunk_pairs(const gkl_shim::prefilter::Source &source) const;

    const int64_t chunk_bytes_, memory_bytes_;
};

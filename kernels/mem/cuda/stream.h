// A stream of a device, the kernels that it launches, and the pinned memory that it sends from.
#pragma once

#include <stdint.h>

#include "gkl_shim_internal.h"
#include "gpu/driver.h"
#include "gpu/stream.h"
#include "mem/cuda/sender.h"

namespace gkl_shim {
namespace mem {

// The device's context is current in all calls.
class Stream : public gpu::Stream {
   public:
    Stream(const CudaDriver &driver, const gkl_shim_mem_cuda_kernels &kernels);
    ~Stream() { finish(); }

    // Launches enough blocks for this many threads.
    void launch(void *kernel, int64_t threads, void **parameters) const;
    // Launches this many blocks.
    void launch_blocks(void *kernel, int64_t blocks, int32_t threads, int64_t shared_words,
                       void **parameters) const;

    const CudaDriver &driver;
    const gkl_shim_mem_cuda_kernels &kernels;
    Sender sender;
};

}  // namespace mem
}  // namespace gkl_shim

// A stream of a device, the kernels that it launches, and the pinned memory that it sends from.
#pragma once

#include <algorithm>

#include "gkl_shim_internal.h"
#include "gpu/driver.h"
#include "gpu/stream.h"
#include "mem/cuda/sender.h"
#include "mem/cuda/work.h"

namespace gkl_shim::mem {

// The device's context is current in all calls.
class Stream : public gpu::Stream {
   public:
    Stream(const CudaDriver &given_driver, const gkl_shim_mem_cuda_kernels &given_kernels)
        : gpu::Stream(given_driver),
          driver(given_driver),
          kernels(given_kernels),
          sender(driver, get()) {}
    ~Stream() { finish(); }

    // Launches enough blocks for this many threads.
    void launch(void *kernel, int64_t threads, void **parameters) const {
        const int64_t blocks = (threads + kThreads - 1) / kThreads;
        launch_blocks(kernel, std::clamp<int64_t>(blocks, 1, kMaxBlocks), kThreads, 0, parameters);
    }
    // Makes each of the values the sum of all up to it. `sums` is scratch memory.
    void scan(uint64_t values, int64_t count, uint64_t sums) const {
        const int64_t tiles = (count + kScanTile - 1) / kScanTile;
        void *parameters[] = {&values, &count, &sums};
        if (tiles > 1) {
            launch(kernels.sum_values, tiles * kWarp, parameters);
            scan(sums, tiles, sums + uint64_t(tiles) * 4);
        }
        launch(kernels.scan_values, tiles * kWarp, parameters);
    }
    // Launches this many blocks.
    void launch_blocks(void *kernel, int64_t blocks, int32_t threads, int64_t shared_words,
                       void **parameters) const {
        driver.launch(kernel, int32_t(blocks), 1, threads, int32_t(shared_words * 4), get(),
                      parameters);
    }

    const CudaDriver &driver;
    const gkl_shim_mem_cuda_kernels &kernels;
    Sender sender;
};

}  // namespace gkl_shim::mem

#include "mem/cuda/stream.h"

#include <algorithm>

#include "mem/cuda/work.h"

namespace gkl_shim {
namespace mem {
namespace {

// More blocks than this only repeat their loop.
const int64_t kMaxBlocks = int64_t(1) << 20;

}  // namespace

Stream::Stream(const CudaDriver &given_driver, const gkl_shim_mem_cuda_kernels &given_kernels)
    : gpu::Stream(given_driver),
      driver(given_driver),
      kernels(given_kernels),
      sender(driver, get()) {}

void Stream::launch(void *kernel, int64_t threads, void **parameters) const {
    const int64_t blocks = std::clamp<int64_t>((threads + kThreads - 1) / kThreads, 1, kMaxBlocks);
    launch_blocks(kernel, blocks, kThreads, 0, parameters);
}

void Stream::launch_blocks(void *kernel, int64_t blocks, int32_t threads, int64_t shared_words,
                           void **parameters) const {
    driver.launch(kernel, int32_t(blocks), 1, threads, int32_t(shared_words * 4), get(),
                  parameters);
}

}  // namespace mem
}  // namespace gkl_shim

#include "prefilter/cuda/chunk.h"

#include "common/memory/copy.h"

namespace gkl_shim {
namespace prefilter {
namespace {

constexpr int64_t kFaultBytes = sizeof(unsigned long long);

}  // namespace

Chunk::Chunk(gpu::Device *device, const gkl_shim_prefilter_cuda_kernels &kernels,
             const Method &method, int threads)
    : Slot(device),
      threads_(threads),
      block_(driver(), stream()),
      kernels_(driver(), stream(), kernels, method) {}

Chunk::~Chunk() { drain(); }

gkl_shim_status Chunk::plan() {
    range_ = source->range(first, last);
    block_.begin();
    source->lay_out(range_, device(), stream(), &block_);
    block_.make_room();
    work_ = source->lay_out(range_, device(), stream(), &block_);
    device_results_.grow(driver(), stream(), kFaultBytes + result_bytes());
    fetched_.grow(driver(), stream(), kFaultBytes + result_bytes());
    const uint64_t at = device_results_.address();
    work_.fault = reinterpret_cast<unsigned long long *>(at);
    work_.results = reinterpret_cast<int16_t *>(at + kFaultBytes);
    work_.count = range_.count();
    return GKL_SHIM_OK;
}

void Chunk::write() { block_.write(threads_); }

void Chunk::launch() {
    block_.send(kernels_);
    driver().fill(device_results_.address(), 0xff, kFaultBytes, stream());
    filter();
    const uint64_t from = device_results_.address();
    char *const to = static_cast<char *>(fetched_.address());
    to_caller_ = driver().is_pinned(results + first);
    if (to_caller_) {
        driver().fetch(results + first, from + kFaultBytes, result_bytes(), stream());
        driver().fetch(to, from, kFaultBytes, stream());
    } else {
        driver().fetch(to, from, kFaultBytes + result_bytes(), stream());
    }
}

int64_t Chunk::collect() {
    const char *const fetched = static_cast<const char *>(fetched_.address());
    if (!to_caller_) copy_all({{results + first, fetched + kFaultBytes, result_bytes()}}, threads_);
    const unsigned long long fault = *reinterpret_cast<const unsigned long long *>(fetched);
    return fault < static_cast<unsigned long long>(range_.count()) ? first + int64_t(fault) : -1;
}

}  // namespace prefilter
}  // namespace gkl_shim

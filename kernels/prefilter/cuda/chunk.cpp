#include "prefilter/cuda/chunk.h"

#include <algorithm>

#include "common/memory/copy.h"

namespace gkl_shim::prefilter {

constexpr int64_t kFaultBytes = sizeof(unsigned long long);

Chunk::Chunk(gpu::Device *device, const gkl_shim_prefilter_cuda_kernels &kernels,
             const Method &method, int threads)
    : RangeSlot(device),
      threads_(threads),
      block_(driver(), stream()),
      kernels_(driver(), stream(), kernels, method) {}

Chunk::~Chunk() { drain(); }

gkl_shim_status Chunk::plan() {
    const Range found = source->range(range);
    widths_ = found.widths;
    block_.begin();
    source->lay_out(found, device(), stream(), &block_);
    block_.make_room();
    work_ = source->lay_out(found, device(), stream(), &block_);
    device_results_.grow(driver(), stream(), kFaultBytes + result_bytes());
    fetched_.grow(driver(), stream(), kFaultBytes + result_bytes());
    work_.fault = device_results_.as<unsigned long long>();
    work_.results = device_results_.as<int16_t>(kFaultBytes);
    work_.count = range.count();
    return GKL_SHIM_OK;
}

void Chunk::write() { block_.write(threads_); }

void Chunk::launch() {
    block_.send(kernels_);
    driver().fill(device_results_.address(), 0xff, kFaultBytes, stream());
    kernels_.filter(work_, widths_);
    int16_t *const out = results + range.first;
    const uint64_t from = device_results_.address();
    char *const to = fetched_.as<char>();
    to_caller_ = driver().is_pinned(out);
    if (to_caller_) {
        driver().fetch(out, from + kFaultBytes, result_bytes(), stream());
        driver().fetch(to, from, kFaultBytes, stream());
    } else {
        driver().fetch(to, from, kFaultBytes + result_bytes(), stream());
    }
}

void Chunk::collect() {
    if (!to_caller_)
        copy_all({{results + range.first, fetched_.as<char>(kFaultBytes), result_bytes()}},
                 threads_);
    const unsigned long long fault = *fetched_.as<const unsigned long long>();
    if (fault < static_cast<unsigned long long>(range.count()))
        static_cast<ChunkQueue &>(*queue).add_fault(range.first + int64_t(fault));
}

void ChunkQueue::add_fault(int64_t fault) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (fault_ < 0 || fault < fault_) fault_ = fault;
    has_more_ = false;
}

int64_t ChunkQueue::cut(const gpu::Range &left, gpu::RangeSlot *slot, int32_t) {
    Chunk &chunk = *static_cast<Chunk *>(slot);
    chunk.source = &source_;
    chunk.results = results_;
    return std::min(left.first + step_, left.last);
}

}  // namespace gkl_shim::prefilter

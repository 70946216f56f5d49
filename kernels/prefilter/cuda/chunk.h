// The chunks of a call: each has memory, kernels and results on a device.
#pragma once

#include <stdint.h>

#include "gpu/kept_memory.h"
#include "gpu/ranges.h"
#include "prefilter/cuda/block.h"
#include "prefilter/cuda/filter_kernels.h"
#include "prefilter/cuda/sources/source.h"

namespace gkl_shim::prefilter {

// A range of a source's pairs on a device: its memory, and the kernels that filter it.
class Chunk : public gpu::RangeSlot {
   public:
    Chunk(gpu::Device *device, const gkl_shim_prefilter_cuda_kernels &kernels, const Method &method,
          int threads);
    ~Chunk() override;

    // Set by the queue. `results` are those of the whole call.
    Source *source = nullptr;
    int16_t *results = nullptr;

    // Tells the queue of the first candidate that is out of range.
    void collect() override;

   protected:
    gkl_shim_status plan() override;
    void write() override;
    void launch() override;

   private:
    int64_t result_bytes() const { return range.count() * int64_t(sizeof(int16_t)); }

    const int threads_;
    Widths widths_ = {};
    Work work_ = {};
    bool to_caller_ = false;  // results go to the caller's memory, which is pinned
    Block block_;
    FilterKernels kernels_;
    // The fault's number comes before the results.
    gpu::KeptMemory<uint64_t> device_results_;
    gpu::KeptMemory<void *> fetched_;
};

// Cuts a call into chunks of `step` pairs each.
class ChunkQueue : public gpu::RangeQueue {
   public:
    ChunkQueue(gpu::Call *call, Source *source, const gpu::Range &pairs, int64_t step,
               int16_t *results)
        : RangeQueue(call, pairs), source_(*source), step_(step), results_(results) {}

    int64_t chunks_left() const override { return (left_.count() + step_ - 1) / step_; }

    // A candidate is out of range: no chunk after it is needed.
    void add_fault(int64_t fault);
    // The first candidate that is out of range, or -1.
    int64_t fault() const { return fault_; }

   protected:
    int64_t cut(const gpu::Range &left, gpu::RangeSlot *slot, int32_t threads) override;

   private:
    Source &source_;
    const int64_t step_;
    int16_t *const results_;
    int64_t fault_ = -1;
};

}  // namespace gkl_shim::prefilter

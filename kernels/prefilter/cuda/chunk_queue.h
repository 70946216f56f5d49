// The chunks of one call, and their outcome.
#pragma once

#include <stdint.h>

#include <algorithm>
#include <memory>

#include "gkl_shim_internal.h"
#include "gpu/launch_threads.h"
#include "prefilter/cuda/chunk.h"
#include "prefilter/cuda/source.h"

namespace gkl_shim {
namespace prefilter {

// The chunks of a call, of `step` pairs each.
class ChunkQueue : public gpu::Queue {
   public:
    ChunkQueue(gpu::Call *call, Source *source, int64_t step, int16_t *results,
               gkl_shim_prefilter_cuda_call *outcome)
        : Queue(call),
          source_(*source),
          step_(step),
          results_(results),
          next_(outcome->first),
          outcome_(*outcome) {
        outcome_.undone = 0;
        outcome_.fault = -1;
        has_more_ = next_ < outcome_.last;
    }

    int64_t chunks_left() const override { return (outcome_.last - next_ + step_ - 1) / step_; }

    // No device has computed these pairs.
    void add_undone(int64_t first, int64_t last) {
        const std::lock_guard<std::mutex> lock(mutex_);
        mark_undone(first, last);
    }
    // No device is left.
    void give_up() {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (has_more_) mark_undone(next_, outcome_.last);
        has_more_ = false;
    }
    // A candidate is out of range: no chunk after it is needed.
    void add_fault(int64_t fault) {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (outcome_.fault < 0 || fault < outcome_.fault) outcome_.fault = fault;
        has_more_ = false;
    }

   protected:
    bool next(gpu::Slot *slot, int32_t) override {
        Chunk &chunk = *static_cast<Chunk *>(slot);
        chunk.source = &source_;
        chunk.results = results_;
        chunk.first = next_;
        chunk.last = next_ = std::min(next_ + step_, outcome_.last);
        has_more_ = next_ < outcome_.last;
        return true;
    }

   private:
    void mark_undone(int64_t first, int64_t last) {
        std::fill(results_ + first, results_ + last, int16_t(GKL_SHIM_PREFILTER_CUDA_UNDONE));
        outcome_.undone += last - first;
    }

    Source &source_;
    const int64_t step_;
    int16_t *const results_;
    int64_t next_;
    gkl_shim_prefilter_cuda_call &outcome_;
};

// What a launch thread does with the chunks of a queue.
class ChunkWork : public gpu::OneQueueWork<ChunkQueue> {
   public:
    using OneQueueWork::OneQueueWork;

    void collect(gpu::Slot *slot) override {
        const int64_t fault = static_cast<Chunk *>(slot)->collect();
        if (fault >= 0) queue_.add_fault(fault);
    }
    void lose(gpu::Slot *slot) override {
        const Chunk &chunk = *static_cast<Chunk *>(slot);
        queue_.add_undone(chunk.first, chunk.last);
    }
};

}  // namespace prefilter
}  // namespace gkl_shim

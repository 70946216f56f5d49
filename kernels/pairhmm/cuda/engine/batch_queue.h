// Batches on their way through the kernels of one precision.
#pragma once

#include <stdint.h>

#include <utility>
#include <vector>

#include "gkl_shim_internal.h"
#include "gpu/launch_threads.h"
#include "pairhmm/cuda/engine/leftovers.h"
#include "pairhmm/cuda/planner/span.h"

namespace gkl_shim {
namespace pairhmm {

struct BatchQueueOptions {
    int32_t precision;
    bool fresh;        // there are no results yet, and all are wanted; else those that are NaN
    bool fast_double;  // only for devices that are not slow in double precision
    const gkl_shim_pairhmm_cuda_device *devices;
};

// Given batches, cuts them into chunks. Their results lie in one array, batch after batch.
class BatchQueue : public gpu::Queue {
   public:
    BatchQueue(gpu::Call *call, const gkl_shim_pairhmm_batch *begin,
               const gkl_shim_pairhmm_batch *end, double *results,
               const BatchQueueOptions &options);

    bool suits(const gpu::Device &device) const override {
        return !(options.fast_double && options.devices[device.index].slow_double);
    }
    int64_t chunks_left() const override {
        return bases_left_ / std::max<int64_t>(last_bases_, 1) + 1;
    }

    // Takes all that is left and calls leave(span) for it. No other thread may take chunks.
    template <class Leave>
    void take_rest(Leave leave) {
        while (more_) {
            gkl_shim_pairhmm_cuda_chunk end = {};
            end.region = batch_->regions;
            leave(span_between(*batch_, results_, place_, end));
            place_.pair = pairs_of(whole(*batch_, results_));
            place_.region = batch_->regions;
            to_next_region();
        }
    }

    // A device failed before it had computed these reads.
    void add_undone(const Span &span) {
        const std::lock_guard<std::mutex> lock(mutex_);
        undone.push_back(span);
    }

    const BatchQueueOptions options;
    std::vector<Span> undone;

   protected:
    bool next(gpu::Slot *slot, int32_t threads) override;

   private:
    void to_next_region();

    const gkl_shim_pairhmm_batch *const end_;
    const gkl_shim_pairhmm_batch *batch_;     // of the next chunk
    double *results_;                         // of this batch
    gkl_shim_pairhmm_cuda_chunk place_ = {};  // in this batch
    int64_t bases_left_ = 0, last_bases_ = 0;
};

// Reads that a rescue owns, as a batch.
struct RescuedReads {
    explicit RescuedReads(Leftovers &&left) : reads(std::move(left)), batch(reads.batch()) {}

    Leftovers reads;
    const gkl_shim_pairhmm_batch batch;
};

// Given reads that lack results, cuts them into chunks for double precision.
class Rescue : public RescuedReads, public BatchQueue {
   public:
    Rescue(gpu::Call *call, Leftovers &&left, const BatchQueueOptions &options)
        : RescuedReads(std::move(left)),
          BatchQueue(call, &batch, &batch + 1, reads.values(), options) {}
};

}  // namespace pairhmm
}  // namespace gkl_shim

// The queues of chunks for the kernels of one precision.
#pragma once

#include <utility>
#include <vector>

#include "gkl_shim_internal.h"
#include "gpu/launch_threads.h"
#include "hmm/batch.h"
#include "hmm/cuda/engine/unfinished_reads.h"
#include "hmm/cuda/planner/span.h"

namespace gkl_shim::pairhmm {

struct BatchQueueOptions {
    int32_t precision;
    bool all_wanted;   // there are no results yet, and all are wanted; else those that are NaN
    bool fast_double;  // only for devices that are not slow in double precision
    const gkl_shim_pairhmm_cuda_device *devices;
    // The shape of each batch, or null: then regions of one haplotype do not have their own
    // planner; as in gkl_shim_pairhmm_cuda_options; and for each batch, whether all bases are known
    // to have the same gap qualities, or null.
    const hmm::Shape *shapes = nullptr;
    int64_t planning = 0;
    const uint8_t *one_gap = nullptr;
    int32_t threads = 1;  // that plan
};

// The chunks of several batches. Their results lie in one array, batch after batch.
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

    // Takes all that is left and calls visit(span) for it. No other thread may take chunks.
    template <class Visit>
    void take_rest(Visit visit) {
        while (has_more_) {
            const BatchPlace end = {batch_->regions, 0, 0};
            visit(span_between(*batch_, results_, place_, end));
            place_.pair = pairs_of(whole_span(*batch_, results_));
            place_.region = batch_->regions;
            to_next_region();
        }
    }

    // A device failed before it had computed these reads.
    void add_undone(const Span &span) {
        const std::lock_guard<std::mutex> lock(mutex_);
        undone_spans.push_back(span);
    }

    const BatchQueueOptions options;
    std::vector<Span> undone_spans;

   protected:
    bool next(gpu::Slot *slot, int32_t threads) override;

   private:
    void leave_region();
    void begin_batch();
    void to_next_region();

    const gkl_shim_pairhmm_batch *const begin_, *const end_;
    const gkl_shim_pairhmm_batch *batch_;  // of the next chunk
    double *results_;                      // of this batch
    BatchPlace place_;                     // of the next chunk in this batch
    int64_t bases_left_ = 0, last_bases_ = 0;
    int64_t lone_bases_;                   // of a chunk
    bool many_bases_;                      // whether the call keeps a device busy
    bool lone_ = false, one_gap_ = false;  // this batch
};

// Reads that a rescue owns, as a batch.
struct RescuedReads {
    explicit RescuedReads(UnfinishedReads &&left) : reads(std::move(left)), batch(reads.batch()) {}

    UnfinishedReads reads;
    const gkl_shim_pairhmm_batch batch;
};

// The chunks, for double precision, of reads that lack results.
class Rescue : public RescuedReads, public BatchQueue {
   public:
    Rescue(gpu::Call *call, UnfinishedReads &&left, const BatchQueueOptions &options)
        : RescuedReads(std::move(left)),
          BatchQueue(call, &batch, &batch + 1, reads.values(), options) {}
};

}  // namespace gkl_shim::pairhmm

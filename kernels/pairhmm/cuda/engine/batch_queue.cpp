#include "pairhmm/cuda/engine/batch_queue.h"

#include "common/error.h"
#include "pairhmm/cuda/engine/batch_slot.h"

namespace gkl_shim {
namespace pairhmm {

BatchQueue::BatchQueue(gpu::Call *call, const gkl_shim_pairhmm_batch *begin,
                       const gkl_shim_pairhmm_batch *end, double *results,
                       const BatchQueueOptions &options)
    : Queue(call), options(options), end_(end), batch_(begin), results_(results) {
    for (const gkl_shim_pairhmm_batch *batch = begin; batch != end; batch++)
        bases_left_ += batch->read_offsets[reads_of(*batch)];
    to_next_region();
}

bool BatchQueue::next(gpu::Slot *slot, int32_t threads) {
    BatchSlot &chunk = *static_cast<BatchSlot *>(slot);
    const BatchPlace begin = place_;
    const ChunkInputs inputs = {batch_, options.all_wanted ? nullptr : results_, threads,
                                slot->chunks_in_flight};
    const bool any = chunk.planner(options.precision).choose_reads(inputs, &place_);
    chunk.span = span_between(*batch_, results_, begin, place_);
    last_bases_ = batch_->read_offsets[chunk.span.last] - batch_->read_offsets[chunk.span.first];
    bases_left_ -= last_bases_;
    to_next_region();
    return any;
}

// Goes on to the next batch at the end of one.
void BatchQueue::to_next_region() {
    while (batch_ != end_ && place_.region == batch_->regions) {
        results_ += place_.pair;
        place_ = {};
        batch_++;
    }
    has_more_ = batch_ != end_;
}

}  // namespace pairhmm
}  // namespace gkl_shim

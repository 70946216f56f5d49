#include "hmm/cuda/engine/batch_queue.h"

#include <algorithm>

#include "common/error.h"
#include "hmm/cuda/engine/batch_slot.h"
#include "hmm/cuda/planner/steps.h"

namespace gkl_shim::pairhmm {

// Regions with one haplotype: the chunks for each thread, about, so that the device soon has work,
// and the limits on a chunk's bases, so that launching it costs little. Tried on an H200.
constexpr int64_t kLoneChunks = 8, kMinLoneBases = 1 << 18, kMaxLoneBases = 1 << 20;
// Those of a chunk if planning may take any time: enough to fill a device.
constexpr int64_t kUnlimitedLoneBases = 1 << 26;

// With fewer bases for each multiprocessor, a call takes less time the usual way, which may give
// each lane fewer rows.
constexpr int64_t kMinBasesPerMultiprocessor = 1 << 10;

BatchQueue::BatchQueue(gpu::Call *call, const gkl_shim_pairhmm_batch *begin,
                       const gkl_shim_pairhmm_batch *end, double *results,
                       const BatchQueueOptions &options)
    : Queue(call), options(options), begin_(begin), end_(end), batch_(begin), results_(results) {
    for (const gkl_shim_pairhmm_batch *batch = begin; batch != end; batch++)
        bases_left_ += batch->read_offsets[reads_of(*batch)];
    lone_bases_ = options.planning == 0 ? kUnlimitedLoneBases
                                        : std::clamp(bases_left_ / (kLoneChunks * options.threads),
                                                     kMinLoneBases, kMaxLoneBases);
    many_bases_ = bases_left_ >= kMinBasesPerMultiprocessor * options.devices[0].multiprocessors;
    begin_batch();
    to_next_region();
}

bool BatchQueue::next(gpu::Slot *slot, int32_t threads) {
    if (!lone_ && hmm::haplotype_letters(*batch_, place_.region) > kChunkLetters) {
        leave_region();
        return false;
    }
    BatchSlot &chunk = *static_cast<BatchSlot *>(slot);
    const BatchPlace begin = place_;
    const ChunkInputs inputs = {batch_, options.all_wanted ? nullptr : results_, threads,
                                slot->chunks_in_flight};
    bool any = true;
    if (lone_)
        chunk.lone_planner(options.precision)
            .choose_reads(options.precision, inputs, one_gap_, lone_bases_, &place_);
    else
        any = choose_reads(&chunk.plan_for(options.precision), inputs, &place_);
    chunk.span = span_between(*batch_, results_, begin, place_);
    last_bases_ = bases_of(chunk.span);
    bases_left_ -= last_bases_;
    to_next_region();
    return any;
}

// Leaves a region to the CPU, because it has too many letters for a chunk.
void BatchQueue::leave_region() {
    BatchPlace end = {place_.region + 1, 0, 0};
    undone_spans.push_back(span_between(*batch_, results_, place_, end));
    const Span &span = undone_spans.back();
    end.pair = place_.pair + (span.last - span.first) * haplotypes_of(*batch_, place_.region);
    bases_left_ -= bases_of(span);
    place_ = end;
    to_next_region();
}

// Chooses the planner of a batch.
void BatchQueue::begin_batch() {
    lone_ = batch_ != end_ && options.shapes && many_bases_ &&
            is_lone(options.precision, *batch_, options.shapes[batch_ - begin_]);
    one_gap_ = lone_ && options.one_gap && options.one_gap[batch_ - begin_];
}

// Goes on to the next batch at the end of one.
void BatchQueue::to_next_region() {
    while (batch_ != end_ && place_.region == batch_->regions) {
        results_ += place_.pair;
        place_ = {};
        batch_++;
        begin_batch();
    }
    has_more_ = batch_ != end_;
}

}  // namespace gkl_shim::pairhmm

#include "hmm/cuda/engine/batch_work.h"

#include "hmm/cuda/engine/batch_slot.h"

namespace gkl_shim::pairhmm {

std::shared_ptr<gpu::Queue> BatchWork::next_queue() {
    if (!queue_.more() || !devices_.any_for(queue_)) second_pass_.dispatch_all();
    if (std::shared_ptr<gpu::Queue> rescue = second_pass_.next_queue()) return rescue;
    if (!queue_.more()) return nullptr;
    return {std::shared_ptr<gpu::Queue>(), &queue_};  // owned by the call
}

bool BatchWork::any_left() const {
    return second_pass_.any_left() || (queue_.more() && devices_.any_for(queue_));
}

// The call itself computes what is left in its own queue.
void BatchWork::no_device_for(gpu::Queue *queue) {
    if (const Rescue *const rescue = rescue_of(queue))
        static_cast<Rescue *>(queue)->take_rest(
            [&](const Span &span) { second_pass_.add(span, rescue, kNoDevice); });
}

void BatchWork::collect(gpu::Slot *slot) {
    BatchSlot &chunk = *static_cast<BatchSlot *>(slot);
    const Rescue *const rescue = rescue_of(slot->queue.get());
    const int64_t missing = chunk.collect();
    cpu_.computed_cells += chunk.planned().computed_cells;
    if (!rescue && queue_.options.precision == GKL_SHIM_SINGLE)
        cpu_.rescued += chunk.beyond_single(missing);
    if (rescue) rescue->reads.copy_results(chunk.span);
    if (missing > 0) second_pass_.add(chunk.span, rescue, chunk.tried());
}

void BatchWork::lose(gpu::Slot *slot) {
    const Span &span = static_cast<BatchSlot *>(slot)->span;
    if (const Rescue *const rescue = rescue_of(slot->queue.get()))
        second_pass_.add(span, rescue, kNoDevice);
    else
        queue_.add_undone(span);
}

}  // namespace gkl_shim::pairhmm

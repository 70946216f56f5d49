#include "gpu/ranges.h"

#include <memory>

namespace gkl_shim {
namespace gpu {
namespace {

// What a launch thread does with the chunks of a queue.
class RangeWork : public Work {
   public:
    RangeWork(Devices *devices, RangeQueue *queue) : devices_(*devices), queue_(*queue) {}

    std::shared_ptr<Queue> next_queue() override {
        if (!queue_.more()) return nullptr;
        return {std::shared_ptr<Queue>(), &queue_};  // owned by the call
    }
    bool any_left() const override { return queue_.more() && devices_.any_for(queue_); }
    void no_device_for(Queue *) override { queue_.give_up(); }
    void collect(Slot *slot) override { static_cast<RangeSlot *>(slot)->collect(); }
    void lose(Slot *slot) override {
        RangeSlot &chunk = *static_cast<RangeSlot *>(slot);
        chunk.lose();
        queue_.add_undone(chunk.range);
    }

   private:
    Devices &devices_;
    RangeQueue &queue_;
};

}  // namespace

void RangeQueue::add_undone(const Range &range) {
    const std::lock_guard<std::mutex> lock(mutex_);
    undone_.push_back(range);
}

void RangeQueue::give_up() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (has_more_) undone_.push_back(left_);
    has_more_ = false;
}

bool RangeQueue::next(Slot *slot, int32_t threads) {
    RangeSlot &chunk = *static_cast<RangeSlot *>(slot);
    chunk.range = {left_.first, cut(left_, &chunk, threads)};
    left_.first = chunk.range.last;
    has_more_ = left_.count() > 0;
    return true;
}

void compute_ranges(Devices *devices, Call *call, RangeQueue *queue, const LaunchLimits &limits) {
    compute_on_devices(devices, call, *queue, limits, [&] { return RangeWork(devices, queue); });
    queue->give_up();
}

}  // namespace gpu
}  // namespace gkl_shim

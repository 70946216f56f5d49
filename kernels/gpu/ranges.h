// Calls whose chunks are ranges of their items, such as reads or pairs, from one queue.
#pragma once

#include <stdint.h>

#include <memory>
#include <mutex>
#include <vector>

#include "gpu/call.h"
#include "gpu/devices.h"
#include "gpu/launch_threads.h"

namespace gkl_shim::gpu {

// The items [first, last) of a call.
struct Range {
    int64_t first = 0, last = 0;
    int64_t count() const { return last - first; }
};

// A slot for a range.
class RangeSlot : public Slot {
   public:
    using Slot::Slot;

    // The chunk. Set by the queue.
    Range range;

    // Puts the results into their places.
    virtual void collect() = 0;
    // The device will not compute the range.
    virtual void lose() {}
};

// Cuts the items of a call into ranges, and keeps those that no device has computed. An algorithm
// derives from this class: it supplies cut().
class RangeQueue : public Queue {
   public:
    RangeQueue(Call *call, const Range &all) : Queue(call), left_(all) {
        has_more_ = all.count() > 0;
    }

    // No device has computed this range.
    void add_undone(const Range &range) {
        const std::lock_guard<std::mutex> lock(mutex_);
        undone_.push_back(range);
    }
    // No device is left.
    void give_up() {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (has_more_) undone_.push_back(left_);
        has_more_ = false;
    }
    // After compute_ranges(): the ranges that are left to the CPU.
    const std::vector<Range> &undone() const { return undone_; }

   protected:
    // Called under the lock: fills a slot with the chunk that begins where `left` does. Returns
    // where the chunk ends.
    virtual int64_t cut(const Range &left, RangeSlot *slot, int32_t threads) = 0;

    bool next(Slot *slot, int32_t threads) override {
        RangeSlot &chunk = *static_cast<RangeSlot *>(slot);
        chunk.range = {left_.first, cut(left_, &chunk, threads)};
        left_.first = chunk.range.last;
        has_more_ = left_.count() > 0;
        return true;
    }

    Range left_;

   private:
    std::vector<Range> undone_;
};

// What a launch thread does with the chunks of a RangeQueue.
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

// Computes a queue's chunks on devices.
inline void compute_ranges(Devices *devices, Call *call, RangeQueue *queue,
                           const LaunchLimits &limits) {
    compute_on_devices(devices, call, *queue, limits, [&] { return RangeWork(devices, queue); });
    queue->give_up();
}

}  // namespace gkl_shim::gpu

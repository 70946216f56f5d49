// Calls whose chunks are ranges of their items, such as reads or pairs, from one queue.
#pragma once

#include <stdint.h>

#include <vector>

#include "gpu/call.h"
#include "gpu/devices.h"
#include "gpu/launch_threads.h"

namespace gkl_shim {
namespace gpu {

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
    void add_undone(const Range &range);
    // No device is left.
    void give_up();
    // After compute_ranges(): the ranges that are left to the CPU.
    const std::vector<Range> &undone() const { return undone_; }

   protected:
    // Called under the lock: fills a slot with the chunk that begins where `left` does. Returns
    // where the chunk ends.
    virtual int64_t cut(const Range &left, RangeSlot *slot, int32_t threads) = 0;

    bool next(Slot *slot, int32_t threads) override;

    Range left_;

   private:
    std::vector<Range> undone_;
};

// Computes a queue's chunks on devices.
void compute_ranges(Devices *devices, Call *call, RangeQueue *queue, const LaunchLimits &limits);

}  // namespace gpu
}  // namespace gkl_shim

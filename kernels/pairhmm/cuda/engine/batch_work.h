// What a launch thread does for a PairHMM call.
#pragma once

#include <memory>
#include <vector>

#include "gpu/launch_threads.h"
#include "pairhmm/cuda/engine/batch_queue.h"
#include "pairhmm/cuda/engine/cpu_share.h"
#include "pairhmm/cuda/engine/unfinished_reads.h"

namespace gkl_shim {
namespace pairhmm {

// The work of one launch thread for a call: it copies the results of chunks into place, and decides
// who computes the pairs that have none. A chunk has no result for a pair that leaves the range of
// single precision, or for a read that is too long for it. Such reads of several chunks are
// collected, and computed in double precision while further chunks are computed in single
// precision: on a device, or by the CPU engine if the devices are slow in double precision.
class BatchWork : public gpu::Work {
   public:
    BatchWork(gpu::Devices *devices, gpu::Call *call, CpuShare *cpu, BatchQueue *queue)
        : devices_(*devices), call_(*call), cpu_(*cpu), queue_(*queue) {}

    std::shared_ptr<gpu::Queue> next_queue() override;
    bool any_left() const override;
    void no_device_for(gpu::Queue *queue) override;
    void collect(gpu::Slot *slot) override;
    void lose(gpu::Slot *slot) override;

    bool any_for_cpu() const override { return cpu_.any_left(); }
    bool too_much_for_cpu() const override { return cpu_.too_many_left(); }
    void compute_some_on_cpu() override { cpu_.compute_some(); }
    void compute_all_on_cpu() override { cpu_.compute_all(); }

   private:
    // Who computes reads that lack results: any device, a device that is fast in double precision,
    // or the CPU. It counts cells only of reads that no engine has tried before.
    enum Assignee { kAnyDevice, kFastDevice, kCpu, kCpuUntried, kAssignees };

    static bool is_cpu(Assignee assignee) { return assignee == kCpu || assignee == kCpuUntried; }

    // Null: the queue is the call's own.
    const Rescue *rescue_of(const gpu::Queue *queue) const {
        return queue == &queue_ ? nullptr : static_cast<const Rescue *>(queue);
    }
    void assign_missing(const Span &span, const Rescue *rescue, bool to_cpu);
    void add_region(Assignee assignee, const gkl_shim_pairhmm_batch &batch, int64_t region);
    void dispatch(Assignee assignee);
    void dispatch_all();

    gpu::Devices &devices_;
    gpu::Call &call_;
    CpuShare &cpu_;
    BatchQueue &queue_;
    UnfinishedReads collected_reads_[kAssignees];  // not dispatched yet
    std::vector<std::shared_ptr<Rescue>> rescues_;
    std::vector<UnfinishedReads::Read> region_reads_[kAssignees];  // of one region
};

}  // namespace pairhmm
}  // namespace gkl_shim

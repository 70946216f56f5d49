// What a launch thread does for a PairHMM call.
#pragma once

#include <memory>

#include "gpu/launch_threads.h"
#include "hmm/cuda/engine/batch_queue.h"
#include "hmm/cuda/engine/cpu_share.h"
#include "hmm/cuda/engine/second_pass.h"

namespace gkl_shim::pairhmm {

// The work of one launch thread for a call: it copies the results of chunks into place, and passes
// reads that lack results to the second pass.
class BatchWork : public gpu::Work {
   public:
    BatchWork(gpu::Devices *devices, gpu::Call *call, CpuShare *cpu, BatchQueue *queue)
        : devices_(*devices),
          cpu_(*cpu),
          queue_(*queue),
          second_pass_(devices, call, cpu, queue->options) {}

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
    // Null: the queue is the call's own.
    const Rescue *rescue_of(const gpu::Queue *queue) const {
        return queue == &queue_ ? nullptr : static_cast<const Rescue *>(queue);
    }

    const gpu::Devices &devices_;
    CpuShare &cpu_;
    BatchQueue &queue_;
    SecondPass second_pass_;
};

}  // namespace gkl_shim::pairhmm

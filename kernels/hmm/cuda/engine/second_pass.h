// The second pass of a PairHMM call: double precision for pairs that the first pass left out.
#pragma once

#include <memory>
#include <vector>

#include "gpu/launch_threads.h"
#include "hmm/cuda/engine/batch_queue.h"
#include "hmm/cuda/engine/cpu_share.h"
#include "hmm/cuda/engine/unfinished_reads.h"

namespace gkl_shim::pairhmm {

// The reads of one launch thread's chunks that lack results, and who computes them in double
// precision. A chunk has no result for a pair that leaves the range of single precision, or for a
// read that is too long for it. Such reads of several chunks are collected, and computed while
// further chunks are computed in single precision: on a device, or by the CPU engine if the devices
// are slow in double precision. Pairs that double precision has tried go to the CPU engine.
class SecondPass {
   public:
    SecondPass(gpu::Devices *devices, gpu::Call *call, CpuShare *cpu,
               const BatchQueueOptions &options)
        : devices_(*devices), call_(*call), cpu_(*cpu), options_(options) {}

    // Adds the reads of a span that lack results. `rescue` has the span, or is null if it is the
    // call's.
    void add(const Span &span, const Rescue *rescue, Tried tried);

    // Sends all collected reads to a device or to the CPU.
    void dispatch_all();

    // A queue of chunks that a device can compute, or null.
    std::shared_ptr<gpu::Queue> next_queue();

    bool any_left() const;

   private:
    // Who computes reads that lack results: any device, a device that is fast in double precision,
    // or the CPU. It counts cells only of reads that no engine has tried before.
    enum Assignee { kAnyDevice, kFastDevice, kCpu, kCpuUntried, kAssignees };

    static bool is_cpu(Assignee assignee) { return assignee == kCpu || assignee == kCpuUntried; }

    void add_region(Assignee assignee, const gkl_shim_pairhmm_batch &batch, int64_t region);
    void dispatch(Assignee assignee);

    gpu::Devices &devices_;
    gpu::Call &call_;
    CpuShare &cpu_;
    const BatchQueueOptions &options_;
    UnfinishedReads collected_reads_[kAssignees];  // not dispatched yet
    std::vector<std::shared_ptr<Rescue>> rescues_;
    std::vector<UnfinishedReads::Read> region_reads_[kAssignees];  // of one region
};

}  // namespace gkl_shim::pairhmm

// The CPU's share of a call of the CUDA engine.
#pragma once

#include <atomic>
#include <deque>
#include <mutex>

#include "gkl_shim_internal.h"
#include "gpu/call.h"
#include "hmm/cuda/engine/unfinished_reads.h"
#include "hmm/on_cpu.h"

namespace gkl_shim::pairhmm {

using namespace hmm;

// Cells of the reads that a thread computes at a time: about a millisecond of work.
constexpr int64_t kCpuBatchCells = 1 << 21;

// The reads of a call that the CPU computes, because no device has results for them, and the counts
// of what was done for the call.
class CpuShare {
   public:
    CpuShare(gpu::Call *call, const CpuSettings &cpu) : call_(*call), settings_(cpu) {}

    // Any thread computes these reads' missing results when it has time.
    void add(UnfinishedReads &&reads);
    bool any_left() const { return batch_count_ > 0; }
    // Whether all threads should stop launching and compute instead, so that memory stays bounded.
    bool too_many_left() const;

    // Computes some of these reads, if there are any.
    void compute_some();
    // Computes all of them, on all threads.
    void compute_all();

    // Computes the pairs that have no result. Throws std::bad_alloc.
    void compute_missing(const gkl_shim_pairhmm_batch &batch, double *values, int64_t pairs,
                         int threads);

    // Computes all pairs. Throws std::bad_alloc.
    void compute(const gkl_shim_pairhmm_batch &batch, double *values, int64_t pairs);

    // As in gkl_shim_pairhmm_stats, and how many pairs the CPU has computed.
    std::atomic<int64_t> computed_cells{0}, rescued{0}, rescaled{0}, on_cpu{0};

   private:
    gpu::Call &call_;
    const CpuSettings settings_;
    std::mutex mutex_;
    std::deque<UnfinishedReads> batches_;
    std::atomic<int64_t> batch_count_{0};
};

}  // namespace gkl_shim::pairhmm

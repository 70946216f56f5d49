// The CUDA engine's planner, which cuts a batch into chunks and writes each into one block of
// memory. One transfer copies the block to a device, whose kernels compute the chunk.
#pragma once

#include "gkl_shim_internal.h"
#include "hmm/cuda/planner/chunk_plan.h"
#include "hmm/cuda/planner/span.h"

namespace gkl_shim::pairhmm {

// The plan of one chunk at a time, and the steps that make it. Only one thread may use it at a
// time. Every function but chunk() may throw, for example std::bad_alloc.
class ChunkPlanner {
   public:
    explicit ChunkPlanner(const PlannerOptions &options);

    // Chooses the reads of the chunk that begins at `place`, and moves `place` to where the next
    // chunk begins. False: there is nothing to compute up to there. The batch has been checked, and
    // does not change until collect().
    //
    // In single precision a chunk computes every pair of a read of up to 1,024 bases. In double
    // precision it computes the pairs whose value is NaN. Only reads with at least one pair that no
    // engine has tried (is_untried()) count in the chunk's computed_cells. A read of more than 256
    // bases is computed only if its states fit a chunk's scratch: its rows for each haplotype, and
    // 16 bytes for each of their letters and each 256 of its rows.
    bool choose_reads(const ChunkInputs &inputs, BatchPlace *place);

    // Plans the chosen reads. GKL_SHIM_EINVAL: the conventions refuse a haplotype's letter.
    gkl_shim_status plan();

    const PlannedChunk &chunk() const { return plan_.chunk; }

    // Writes the planned chunk to a block of chunk().block_bytes bytes, with its tracks or up to
    // them.
    void write(uint8_t *block, bool tracks);

    // Calls visit(to, from, size) for the runs of the chunk's tracks: where in the block they
    // belong, and where in the batch they are.
    template <class Visit>
    void each_track(Visit visit) const {
        plan_.each_track(0, int64_t(plan_.parts.size()), 0, visit);
    }

    // Copies the kernels' results to their places in `values`. A result that is not trusted becomes
    // NaN. A pair that was not computed becomes no_result(). Returns how many pairs of the chunk's
    // reads are NaN now.
    int64_t collect(const double *results, double *values);

   private:
    ChunkPlan plan_;
    const int32_t threads_;
};

}  // namespace gkl_shim::pairhmm

// A slot of a device for PairHMM's chunks.
#pragma once

#include <memory>

#include "gkl_shim_internal.h"
#include "gpu/devices.h"
#include "gpu/kept_memory.h"
#include "hmm/cuda/lone/lone_kernels.h"
#include "hmm/cuda/lone/lone_planner.h"
#include "hmm/cuda/planner/chunk_plan.h"
#include "hmm/cuda/planner/span.h"

namespace gkl_shim::pairhmm {

// The planner, memory and kernels that compute one chunk at a time. A BatchQueue puts the chunk in.
// The slot plans its tiles, writes them to one block of pinned memory, sends the block to the
// device, with tracks that the caller has in pinned memory straight from there, and launches one
// kernel for each width of tile, or those of LoneKernels. The kernels write the results to pinned
// memory.
class BatchSlot : public gpu::Slot {
   public:
    BatchSlot(gpu::Device *device, const gkl_shim_pairhmm_cuda_options &engine);
    ~BatchSlot() override;

    // For BatchQueue: the plan or the planner of the slot's next chunk, and the reads in the chunk.
    // The planner is for batches of which is_lone() is true.
    ChunkPlan &plan_for(int32_t precision);
    LonePlanner &lone_planner(int32_t precision);
    Span span = {};

    // The chunk, once it is planned.
    const PlannedChunk &planned() const {
        return lone_ ? lone_planner_.chunk() : plans_[precision_]->chunk;
    }

    bool has_results() override;

    // Copies the results into place. Returns how many pairs have none.
    int64_t collect();

    // What was done about the pairs that have no result.
    Tried tried() const;

    // How many pairs single precision has not computed, given how many have no result now.
    int64_t beyond_single(int64_t missing) const {
        return lone_ ? lone_kernels_.beyond_single(missing) : missing;
    }

    // Computes regions of one haplotype in the other precision, too, if need be.
    bool launch_more() override;

   protected:
    gkl_shim_status plan() override;
    bool is_empty() const override { return planned().results == 0; }
    int64_t device_bytes() const override;
    void free_device_memory() noexcept override;
    void write() override;
    void launch() override;

   private:
    void find_pinned_tracks();
    int64_t written_bytes() const;
    void make_room();
    ChunkMemory memory() const;
    void launch_widths(const gkl_shim_pairhmm_cuda_kernels &kernels, int32_t step, int32_t warps);
    void launch_one(const gkl_shim_pairhmm_cuda_kernels &kernels, int kernel, int32_t step,
                    int32_t warps);

    const gkl_shim_pairhmm_cuda_options &engine_;
    const gkl_shim_pairhmm_cuda_device &hardware_;
    std::unique_ptr<ChunkPlan> plans_[2];  // for each precision, made when it is needed
    LonePlanner lone_planner_;
    LoneKernels lone_kernels_;
    int32_t precision_ = GKL_SHIM_SINGLE;  // of the chunk
    bool lone_ = false;                    // whether lone_planner_ makes it
    bool pinned_tracks_ = false;           // the chunk's tracks are sent from the caller's memory
    int64_t expected_results_ = 0, arrived_results_ = 0;
    gpu::KeptMemory<void *> block_, results_;
    gpu::KeptMemory<uint64_t> device_block_, scratch_;
};

}  // namespace gkl_shim::pairhmm

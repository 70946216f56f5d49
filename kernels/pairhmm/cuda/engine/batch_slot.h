// A slot of a device for PairHMM's chunks.
#pragma once

#include <stdint.h>

#include <memory>

#include "gkl_shim_internal.h"
#include "gpu/devices.h"
#include "gpu/kept_memory.h"
#include "pairhmm/cuda/planner/span.h"

namespace gkl_shim {
namespace pairhmm {

// The planner, memory and kernels that compute one chunk at a time. A BatchQueue puts the chunk in.
// The slot plans its tiles, writes them to one block of pinned memory, sends the block to the
// device, and launches one kernel for each width of tile. The kernels write the results to pinned
// memory.
class BatchSlot : public gpu::Slot {
   public:
    // `planning`: as in gkl_shim_pairhmm_cuda_planner_options.
    BatchSlot(gpu::Device *device, const gkl_shim_pairhmm_cuda_options &engine, int64_t planning);
    ~BatchSlot() override;

    // For BatchQueue: the planner of a precision, the figures of the chunk that it has taken, and
    // the reads in it.
    gkl_shim_pairhmm_cuda_planner *planner(int32_t precision);
    gkl_shim_pairhmm_cuda_chunk figures = {};
    Span span = {};

    bool has_results() override;

    // Copies the results into place. Returns how many pairs have none.
    int64_t collect();

    // start() calls these in turn; measurements.cpp calls them one by one.
    gkl_shim_status plan() override;
    bool is_empty() const override { return figures.results == 0; }
    int64_t device_bytes() const override;
    void free_device_memory() noexcept override;
    void write() override;
    void launch() override {
        send();
        launch_kernels();
    }
    void send();
    void launch_kernels();

   private:
    typedef std::unique_ptr<gkl_shim_pairhmm_cuda_planner,
                            void (*)(gkl_shim_pairhmm_cuda_planner *)>
        Planner;

    void make_room();
    void launch_widths(const gkl_shim_pairhmm_cuda_kernels &kernels, int32_t step, int32_t warps);
    void launch_one(const gkl_shim_pairhmm_cuda_kernels &kernels, int kernel, int32_t step,
                    int32_t warps);

    const gkl_shim_pairhmm_cuda_options &engine_;
    const gkl_shim_pairhmm_cuda_device &hardware_;
    const int64_t planning_;
    Planner planners_[2] = {{nullptr, gkl_shim_pairhmm_cuda_planner_close},
                            {nullptr, gkl_shim_pairhmm_cuda_planner_close}};
    int32_t precision_ = GKL_SHIM_SINGLE;
    int64_t expected_ = 0, seen_ = 0;  // results
    gpu::KeptMemory<void *> block_, results_;
    gpu::KeptMemory<uint64_t> device_block_, scratch_;
};

}  // namespace pairhmm
}  // namespace gkl_shim

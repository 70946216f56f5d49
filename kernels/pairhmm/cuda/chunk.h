// A chunk of PairHMM on a device.
#pragma once

#include <stdint.h>

#include <memory>

#include "gkl_shim_internal.h"
#include "gpu/devices.h"
#include "gpu/kept_memory.h"
#include "pairhmm/cuda/leftovers.h"

namespace gkl_shim {
namespace pairhmm {

// Given reads that a BatchQueue puts in, makes their results: plans them as tiles, writes these to
// one block of pinned memory, sends it to the device and launches one kernel for each width of
// tile. The kernels write the results to pinned memory.
class Chunk : public gpu::Slot {
   public:
    // `planning`: as in gkl_shim_cuda_options.
    Chunk(gpu::Device *device, const gkl_shim_cuda_engine_options &engine, int64_t planning);
    ~Chunk() override;

    // What the planner takes from a batch, for BatchQueue: the planner of a precision, the chunk's
    // figures, and the reads that it has taken.
    gkl_shim_cuda_planner *planner(int32_t precision);
    gkl_shim_cuda_chunk figures = {};
    Span span = {};

    bool has_results() override;

    // Puts the results where they belong; returns how many pairs have none.
    int64_t collect();

    // start() calls these in turn, and so does who times them.
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
    typedef std::unique_ptr<gkl_shim_cuda_planner, void (*)(gkl_shim_cuda_planner *)> Planner;

    void make_room();
    void launch_widths(const gkl_shim_cuda_kernels &kernels, int32_t step, int32_t warps);
    void launch_one(const gkl_shim_cuda_kernels &kernels, int kernel, int32_t step, int32_t warps);

    const gkl_shim_cuda_engine_options &engine_;
    const gkl_shim_cuda_device &hardware_;
    const int64_t planning_;
    Planner planners_[2] = {{nullptr, gkl_shim_cuda_close}, {nullptr, gkl_shim_cuda_close}};
    int32_t precision_ = GKL_SHIM_SINGLE;
    int64_t expected_ = 0, seen_ = 0;  // results
    gpu::KeptMemory<void *> block_, results_;
    gpu::KeptMemory<uint64_t> device_block_, scratch_;
};

}  // namespace pairhmm
}  // namespace gkl_shim

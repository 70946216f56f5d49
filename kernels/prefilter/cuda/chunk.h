// One chunk on a device: its memory, its kernels and its results.
#pragma once

#include <stdint.h>

#include "gpu/devices.h"
#include "gpu/kept_memory.h"
#include "prefilter/cuda/block.h"
#include "prefilter/cuda/filter_kernels.h"
#include "prefilter/cuda/source.h"

namespace gkl_shim {
namespace prefilter {

// A range of a source's pairs on a device: its memory, and the kernels that filter it.
class Chunk : public gpu::Slot {
   public:
    Chunk(gpu::Device *device, const gkl_shim_prefilter_cuda_kernels &kernels, const Method &method,
          int threads);
    ~Chunk() override;

    // Called by the queue. `results` are those of the whole call.
    Source *source = nullptr;
    int64_t first = 0, last = 0;
    int16_t *results = nullptr;

    // Copies the fetched results to their places. Returns the first candidate that is out of
    // range, or -1.
    int64_t collect();

   protected:
    gkl_shim_status plan() override;
    void write() override;
    void launch() override;

    // Launches the kernels that filter the planned chunk.
    void filter() { kernels_.filter(work_, range_.widths); }

   private:
    int64_t result_bytes() const { return range_.count() * int64_t(sizeof(int16_t)); }

    const int threads_;
    Range range_ = {};
    Work work_ = {};
    bool to_caller_ = false;  // results go to the caller's memory, which is pinned
    Block block_;
    FilterKernels kernels_;
    // The fault's number comes before the results.
    gpu::KeptMemory<uint64_t> device_results_;
    gpu::KeptMemory<void *> fetched_;
};

}  // namespace prefilter
}  // namespace gkl_shim

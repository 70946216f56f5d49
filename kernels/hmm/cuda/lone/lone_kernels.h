// Which kernels compute a chunk whose regions have one haplotype each, and in which order.
#pragma once

#include <vector>

#include "gkl_shim_internal.h"
#include "gpu/driver.h"
#include "gpu/kept_memory.h"
#include "hmm/cuda/lone/lone_planner.h"
#include "hmm/cuda/planner/span.h"

namespace gkl_shim::pairhmm {

// Where a chunk lies: its block here and on the device, scratch memory on the device, and results
// in pinned memory.
struct ChunkMemory {
    const uint8_t *block;
    uint64_t device_block, scratch;
    double *results;
};

// Launches the kernels for one chunk of the planner after another, on one stream.
//
// In single precision a chunk is usually computed by the kernels in single precision first. If many
// pairs leave its range, the kernel in double precision computes them. If all pairs of a chunk
// leave it, the next chunk is computed in double precision first. If any result may then be within
// single precision, all pairs are computed in single precision, too, and those results are used
// wherever there are any. So the results do not depend on the order.
class LoneKernels {
   public:
    LoneKernels(const CudaDriver &driver, void *stream,
                const gkl_shim_pairhmm_cuda_device &hardware, int32_t conventions,
                LonePlanner *planner)
        : driver_(driver),
          stream_(stream),
          hardware_(hardware),
          conventions_(conventions),
          planner_(*planner) {}

    // Begins a chunk that has been planned.
    void begin();

    // Launches the first kernels. The chunk's block is on its way to the device.
    void launch(const ChunkMemory &memory);

    // Once the results are there: launches further kernels. False: the chunk is done.
    bool launch_more(const ChunkMemory &memory);

    // What was done about the pairs that have no result.
    Tried tried() const;

    // How many pairs single precision has not computed, given how many have no result now.
    int64_t beyond_single(int64_t missing) const {
        return beyond_single_ > 0 ? beyond_single_ + planner_.long_reads() : missing;
    }

   private:
    enum Launched { kSingle, kMissingInDouble, kAllInDouble, kSingleAfterDouble };

    // Whether the chunk may be computed in both precisions.
    bool both_precisions() const;
    bool launch_missing_in_double(const ChunkMemory &memory);
    bool launch_single_after_double(const ChunkMemory &memory);
    void merge_with_double(double *results);
    void launch_single(const ChunkMemory &memory) const;
    void launch_selected(const ChunkMemory &memory, const double *results);
    void launch_double(const ChunkMemory &memory, uint64_t selection) const;

    const CudaDriver &driver_;
    void *const stream_;
    const gkl_shim_pairhmm_cuda_device &hardware_;
    const int32_t conventions_;
    LonePlanner &planner_;
    Launched launched_ = kSingle;
    bool nothing_fits_ = false;           // the last chunk had no pair within single precision
    int64_t beyond_single_ = 0;           // pairs beyond single precision, computed in double
    std::vector<double> double_results_;  // of kAllInDouble, for merge_with_double()
    gpu::KeptMemory<void *> selection_;
};

}  // namespace gkl_shim::pairhmm

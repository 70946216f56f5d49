// The widths of tiles: how many of a read's rows each lane of a kernel holds.
#pragma once

#include "gkl_shim_internal.h"
#include "hmm/cuda/planner/packing.h"

namespace gkl_shim::pairhmm {

// The kernels of a precision: the width of each, the cost of a column, and the lanes that a read
// takes.
class TileWidths {
   public:
    explicit TileWidths(int32_t precision);

    int count() const { return count_; }
    // Rows a lane of kernel `width`.
    int32_t rows(int width) const { return rows_[width]; }
    // Cycles for a column, of a multiprocessor that has many tiles at once.
    double cycles(int width) const { return cycles_[width]; }
    // The longest read that fits into a warp.
    int64_t longest() const { return longest_read_; }
    // Lanes of a read of `step` steps of length (packing.h); more than kWarp if it does not fit.
    int lanes(int width, int step) const { return lanes_[width][step]; }

   private:
    int count_;
    int64_t longest_read_;
    const int32_t *rows_;
    const double *cycles_;
    uint8_t lanes_[GKL_SHIM_PAIRHMM_CUDA_WIDTHS][Lengths::kMaxStep + 1];
};

}  // namespace gkl_shim::pairhmm

#include "hmm/cuda/planner/tile_widths.h"

#include <algorithm>

#include "hmm/cuda/kernels/block_format.h"

namespace gkl_shim::pairhmm {
namespace {

// Of the kernels in kernels/kernels.cu, then zeros.
constexpr int32_t kSingleRows[GKL_SHIM_PAIRHMM_CUDA_WIDTHS] = {4, 8, 12, 16, 20, 32};
constexpr int32_t kDoubleRows[GKL_SHIM_PAIRHMM_CUDA_WIDTHS] = {4, 8};
static_assert(kLongestSingleRead == kWarp * kMaxRowsPerLane, "the longest read fits a warp");
// Measured on an H200, but for 32 rows, which only reads that fit no other kernel should take. With
// the costs measured on regions of one haplotype, 50.5 for 20 rows and 86.6 for 32, generated
// regions take 8% longer.
constexpr double kSingleCycles[GKL_SHIM_PAIRHMM_CUDA_WIDTHS] = {18, 27, 36, 43.5, 61, 100};
constexpr double kDoubleCycles[GKL_SHIM_PAIRHMM_CUDA_WIDTHS] = {40, 64};

const int32_t *rows_of(int32_t precision) {
    return precision == GKL_SHIM_SINGLE ? kSingleRows : kDoubleRows;
}

}  // namespace

TileWidths::TileWidths(int32_t precision)
    : rows_(rows_of(precision)),
      cycles_(precision == GKL_SHIM_SINGLE ? kSingleCycles : kDoubleCycles) {
    count_ = int(std::find(rows_, rows_ + GKL_SHIM_PAIRHMM_CUDA_WIDTHS, 0) - rows_);
    longest_read_ = kWarp * rows_[count_ - 1];
    for (int w = 0; w < count_; w++)
        for (int step = 0; step <= Lengths::kMaxStep; step++)
            lanes_[w][step] =
                uint8_t(std::min<int>((step * kLengthStep + rows_[w] - 1) / rows_[w], kWarp + 1));
}

}  // namespace gkl_shim::pairhmm

extern "C" void gkl_shim_pairhmm_cuda_widths(int32_t precision,
                                             int32_t widths[GKL_SHIM_PAIRHMM_CUDA_WIDTHS]) {
    std::copy_n(gkl_shim::pairhmm::rows_of(precision), GKL_SHIM_PAIRHMM_CUDA_WIDTHS, widths);
}

extern "C" int32_t gkl_shim_pairhmm_cuda_shared_bytes(int32_t precision, int32_t kernel) {
    using namespace gkl_shim::pairhmm;
    // The striped kernel adds a ring of columns that it receives.
    if (kernel == GKL_SHIM_PAIRHMM_CUDA_WIDTHS)
        return shared_bytes<double>(kStripedRows) +
               int32_t(kRingColumns * sizeof(BoundaryState<double>));
    const int32_t rows = rows_of(precision)[kernel];
    return precision == GKL_SHIM_SINGLE ? shared_bytes<float>(rows) : shared_bytes<double>(rows);
}

#include "hmm/cuda/lone/lone_kernels.h"

#include <math.h>

#include <algorithm>

#include "hmm/underflow.h"

namespace gkl_shim::pairhmm {

// If at least a 16th of a chunk's pairs leave single precision, they are computed right away. Fewer
// are computed together with those of other chunks.
constexpr int64_t kLaunchedShare = 16;

// A pair whose log10 likelihood in double precision is less than this is beyond single precision.
// It is half of the least total that joined_likelihood() trusts there, with kLoneColumns columns;
// the errors of single precision are far smaller than a half.
constexpr double kBeyondSingle = 0.301029995 * (Range<float>::kLowTrusted - 1 - 10);
static_assert(kLoneColumns == 1 << 10, "the 10 above");

void LoneKernels::begin() {
    beyond_single_ = 0;
    launched_ = both_precisions() && nothing_fits_ ? kAllInDouble : kSingle;
}

void LoneKernels::launch(const ChunkMemory &memory) {
    if (planner_.precision() == GKL_SHIM_DOUBLE)
        launch_double(memory, memory.device_block + uint64_t(planner_.selection()));
    else if (launched_ == kAllInDouble)
        launch_selected(memory, nullptr);
    else
        launch_single(memory);
}

bool LoneKernels::launch_more(const ChunkMemory &memory) {
    if (!both_precisions()) return false;
    if (launched_ == kSingle) return launch_missing_in_double(memory);
    if (launched_ == kAllInDouble) return launch_single_after_double(memory);
    if (launched_ == kSingleAfterDouble) merge_with_double(memory.results);
    return false;
}

bool LoneKernels::both_precisions() const {
    return planner_.precision() == GKL_SHIM_SINGLE && planner_.fits_double() &&
           !hardware_.slow_double;
}

Tried LoneKernels::tried() const {
    return planner_.precision() == GKL_SHIM_DOUBLE || beyond_single_ > 0 ? kTriedDouble
                                                                         : kTriedSingle;
}

bool LoneKernels::launch_missing_in_double(const ChunkMemory &memory) {
    const int64_t pairs = planner_.chunk().results;
    const auto is_missing = [](double x) { return isnan(x); };
    const int64_t missing = std::count_if(memory.results, memory.results + pairs, is_missing);
    nothing_fits_ = missing == pairs;
    if (missing == 0 || missing * kLaunchedShare < pairs) return false;
    launched_ = kMissingInDouble;
    beyond_single_ = missing;
    // The kernel writes these results again.
    std::replace_if(memory.results, memory.results + pairs, is_missing, no_result());
    launch_selected(memory, memory.results);
    return true;
}

// Launches the kernels in single precision, unless no pair can be within it.
bool LoneKernels::launch_single_after_double(const ChunkMemory &memory) {
    double *const end = memory.results + planner_.chunk().results;
    nothing_fits_ =
        std::none_of(memory.results, end, [](double value) { return value >= kBeyondSingle; });
    if (nothing_fits_) {
        beyond_single_ = planner_.chunk().results;
        return false;
    }
    launched_ = kSingleAfterDouble;
    double_results_.assign(memory.results, end);
    std::fill(memory.results, end, no_result());
    launch_single(memory);
    return true;
}

// Pairs without a result in single precision have the one in double precision.
void LoneKernels::merge_with_double(double *results) {
    for (const double in_double : double_results_) {
        if (isnan(*results)) {
            *results = in_double;
            beyond_single_++;
        }
        results++;
    }
}

void LoneKernels::launch_single(const ChunkMemory &memory) const {
    const gkl_shim_pairhmm_cuda_kernels &kernels = hardware_.kernels[GKL_SHIM_SINGLE];
    uint64_t block = memory.device_block, tables = kernels.tables[conventions_];
    double *results = memory.results;
    for (int k = 0; k < kLoneKernels; k++) {
        if (planner_.tiles[k] == 0) continue;
        void *parameters[] = {&block, &tables, &planner_.first_tile[k], &results};
        driver_.launch(kernels.lone[k], planner_.tiles[k], 1, kWarp,
                       lone_shared_bytes<float>(kLoneRowsPerLane[k]), stream_, parameters);
    }
}

// Launches the kernel in double precision for the pairs without a result, or for all pairs if
// `results` is null.
void LoneKernels::launch_selected(const ChunkMemory &memory, const double *results) {
    selection_.grow(driver_, stream_, planner_.chunk().scratch_bytes);
    const int64_t size = planner_.select(memory.block, results, selection_.as<uint8_t>());
    driver_.send(memory.scratch, selection_.address(), size, stream_);
    launch_double(memory, memory.scratch);
}

// Launches the kernel in double precision for the pairs of a LoneSelection on the device.
void LoneKernels::launch_double(const ChunkMemory &memory, uint64_t selection) const {
    const gkl_shim_pairhmm_cuda_kernels &kernels = hardware_.kernels[GKL_SHIM_DOUBLE];
    uint64_t block = memory.device_block, tables = kernels.tables[conventions_];
    uint64_t seams = memory.scratch;
    double *results = memory.results;
    void *parameters[] = {&block, &tables, &selection, &seams, &results};
    driver_.launch(kernels.lone[0], planner_.double_blocks(), 1, kWarp,
                   lone_shared_bytes<double>(kLoneDoubleRows), stream_, parameters);
}

}  // namespace gkl_shim::pairhmm

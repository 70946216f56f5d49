#include "pairhmm/cuda/engine/batch_slot.h"

#include <math.h>
#include <string.h>

#include <algorithm>

#include "hmm/range.h"
#include "pairhmm/cuda/kernels/block_format.h"

namespace gkl_shim {
namespace pairhmm {
namespace {

// If a chunk has no more results than this, the host watches the results themselves: each is
// kNoResult until a kernel writes it. Asking the driver instead keeps other threads from launching:
// with 16 callers, one region each, it costs a sixth of the throughput.
constexpr int64_t kWatchedResults = 1 << 16;

// The blocks of the lone kernel in double precision that a multiprocessor holds.
constexpr int32_t kLoneDoubleBlocks = 8;
// A chunk's pairs that leave single precision get a launch of their own if they are at least a 16th
// of all. Fewer are computed together with those of other chunks.
constexpr int64_t kLaunchedShare = 16;

// A pair whose log10 likelihood in double precision is less than this is beyond single precision.
// It is half of the least total that joined_likelihood() trusts there, with kLoneColumns columns;
// the errors of single precision are far smaller than a half.
constexpr double kBeyondSingle = 0.301029995 * (Range<float>::kLowTrusted - 1 - 10);
static_assert(kLoneColumns == 1 << 10, "the 10 above");

}  // namespace

BatchSlot::BatchSlot(gpu::Device *device, const gkl_shim_pairhmm_cuda_options &engine,
                     int64_t planning)
    : Slot(device),
      engine_(engine),
      hardware_(engine.devices[device->index]),
      planning_(planning),
      lone_planner_(engine.conventions == GKL_SHIM_AS_GKL) {}

BatchSlot::~BatchSlot() {
    free_device_memory();
    block_.free(driver());
    results_.free(driver());
}

int64_t BatchSlot::device_bytes() const {
    return device_block_.size_for(planned().block_bytes) +
           scratch_.size_for(planned().scratch_bytes);
}

void BatchSlot::free_device_memory() noexcept {
    drain();
    device_block_.free(driver());
    scratch_.free(driver());
}

ChunkPlanner &BatchSlot::planner(int32_t precision) {
    precision_ = precision;
    lone_ = false;
    std::unique_ptr<ChunkPlanner> &planner = planners_[precision];
    if (!planner)
        planner = std::make_unique<ChunkPlanner>(PlannerOptions{
            precision, engine_.conventions, engine_.threads, hardware_.multiprocessors,
            engine_.rows_per_lane, engine_.cells[precision], hardware_.scratch_bytes, planning_});
    return *planner;
}

LonePlanner &BatchSlot::lone_planner(int32_t precision) {
    precision_ = precision;
    lone_ = true;
    return lone_planner_;
}

gkl_shim_status BatchSlot::plan() {
    expected_results_ = beyond_single_ = 0;
    both_precisions_ = false;
    if (!lone_) return planners_[precision_]->plan();
    lone_planner_.plan();
    both_precisions_ =
        precision_ == GKL_SHIM_SINGLE && lone_planner_.fits_double() && !hardware_.slow_double;
    launched_ = both_precisions_ && nothing_fits_ ? kAllInDouble : kSingle;
    return GKL_SHIM_OK;
}

void BatchSlot::make_room() {
    block_.grow(driver(), stream(), planned().block_bytes);
    device_block_.grow(driver(), stream(), planned().block_bytes);
    scratch_.grow(driver(), stream(), planned().scratch_bytes);
    results_.grow(driver(), stream(), planned().results * int64_t(sizeof(double)));
}

void BatchSlot::write() {
    make_room();
    uint8_t *const block = static_cast<uint8_t *>(block_.address());
    if (lone_)
        lone_planner_.write(block);
    else
        planners_[precision_]->write(block);
    expected_results_ = planned().results;
    arrived_results_ = 0;
    if (expected_results_ <= kWatchedResults)
        memset(results_.address(), 0xff, size_t(expected_results_) * sizeof(double));
}

void BatchSlot::send() {
    driver().send(device_block_.address(), block_.address(), planned().block_bytes, stream());
}

void BatchSlot::launch_kernels() {
    const gkl_shim_pairhmm_cuda_kernels &kernels = hardware_.kernels[precision_];
    if (lone_ && precision_ == GKL_SHIM_DOUBLE) {
        launch_lone_double(device_block_.address() + uint64_t(lone_planner_.selection()));
    } else if (lone_ && launched_ == kAllInDouble) {
        launch_selected(nullptr);
    } else if (lone_) {
        launch_lone(kernels);
    } else if (planned().passes == 1) {
        launch_widths(kernels, kWholeTile, 1);
    } else {
        launch_widths(kernels, kPass, planned().passes);
        launch_widths(kernels, kJoin, planned().joins);
    }
    if (planned().seam_bytes > 0) {
        driver().fill(scratch_.address() + uint64_t(planned().seams), kSeamFill,
                      planned().seam_bytes, stream());
        launch_one(kernels, GKL_SHIM_PAIRHMM_CUDA_WIDTHS, kPass, planned().striped_passes);
        launch_one(kernels, GKL_SHIM_PAIRHMM_CUDA_WIDTHS, kJoin, planned().striped_joins);
    }
}

bool BatchSlot::has_results() {
    if (expected_results_ > kWatchedResults) return Slot::has_results();
    const uint64_t *const results = static_cast<const uint64_t *>(results_.address());
    for (; arrived_results_ < expected_results_; arrived_results_++)
        if (__atomic_load_n(results + arrived_results_, __ATOMIC_ACQUIRE) == kNoResult)
            return false;
    return true;
}

Tried BatchSlot::tried() const {
    if (lone_ && (precision_ == GKL_SHIM_DOUBLE || beyond_single_ > 0)) return kTriedDouble;
    // The kernels for regions of several haplotypes leave out what no device can compute.
    return precision_ == GKL_SHIM_DOUBLE ? kNoDevice : kTriedSingle;
}

bool BatchSlot::launch_more() {
    if (!both_precisions_) return false;
    if (launched_ == kSingle) return launch_missing_in_double();
    if (launched_ == kAllInDouble) return launch_single_after_double();
    if (launched_ == kSingleAfterDouble) merge_with_double();
    return false;
}

bool BatchSlot::launch_missing_in_double() {
    double *const results = static_cast<double *>(results_.address());
    double *const end = results + planned().results;
    const auto is_missing = [](double x) { return isnan(x); };
    const int64_t missing = std::count_if(results, end, is_missing);
    nothing_fits_ = missing == planned().results;
    if (missing == 0 || missing * kLaunchedShare < planned().results) return false;
    launched_ = kMissingInDouble;
    beyond_single_ = missing;
    // The kernel writes these results again.
    std::replace_if(results, end, is_missing, no_result());
    arrived_results_ = 0;
    launch_selected(results);
    return true;
}

// Unless no pair is within single precision, computes all pairs in single precision, too.
bool BatchSlot::launch_single_after_double() {
    double *const results = static_cast<double *>(results_.address());
    double *const end = results + planned().results;
    nothing_fits_ = std::none_of(results, end, [](double value) { return value >= kBeyondSingle; });
    if (nothing_fits_) {
        beyond_single_ = planned().results;
        return false;
    }
    launched_ = kSingleAfterDouble;
    double_results_.assign(results, end);
    std::fill(results, end, no_result());
    arrived_results_ = 0;
    launch_lone(hardware_.kernels[GKL_SHIM_SINGLE]);
    return true;
}

// Pairs without a result in single precision have the one in double precision.
void BatchSlot::merge_with_double() {
    double *const results = static_cast<double *>(results_.address());
    for (int64_t k = 0; k < planned().results; k++) {
        if (!isnan(results[k])) continue;
        results[k] = double_results_[size_t(k)];
        beyond_single_++;
    }
}

int64_t BatchSlot::collect() {
    const double *const results = static_cast<const double *>(results_.address());
    return lone_ ? lone_planner_.collect(results, span.results)
                 : planners_[precision_]->collect(results, span.results);
}

void BatchSlot::launch_widths(const gkl_shim_pairhmm_cuda_kernels &kernels, int32_t step,
                              int32_t warps) {
    for (int width = 0; width < GKL_SHIM_PAIRHMM_CUDA_WIDTHS; width++)
        if (planned().tiles[width] > 0) launch_one(kernels, width, step, warps);
}

void BatchSlot::launch_lone(const gkl_shim_pairhmm_cuda_kernels &kernels) {
    uint64_t block = device_block_.address(), tables = kernels.tables[engine_.conventions];
    void *results = results_.address();
    for (int k = 0; k < kLoneKernels; k++) {
        if (lone_planner_.tiles[k] == 0) continue;
        void *parameters[] = {&block, &tables, &lone_planner_.first_tile[k], &results};
        driver().launch(kernels.lone[k], lone_planner_.tiles[k], 1, kWarp,
                        gkl_shim_pairhmm_cuda_lone_shared_bytes(k), stream(), parameters);
    }
}

// Launches the kernel in double precision for the pairs without a result, or for all pairs if
// `results` is null.
void BatchSlot::launch_selected(const double *results) {
    selection_.grow(driver(), stream(), planned().scratch_bytes);
    const int64_t size =
        lone_planner_.select(static_cast<const uint8_t *>(block_.address()), results,
                             static_cast<uint8_t *>(selection_.address()));
    driver().send(scratch_.address(), selection_.address(), size, stream());
    launch_lone_double(scratch_.address());
}

// Launches the kernel in double precision for the pairs of a LoneSelection on the device.
void BatchSlot::launch_lone_double(uint64_t selection) {
    const gkl_shim_pairhmm_cuda_kernels &kernels = hardware_.kernels[GKL_SHIM_DOUBLE];
    uint64_t block = device_block_.address(), tables = kernels.tables[engine_.conventions];
    void *results = results_.address();
    void *parameters[] = {&block, &tables, &selection, &results};
    const int32_t blocks = std::min(lone_planner_.tiles[LonePlanner::kDouble],
                                    hardware_.multiprocessors * kLoneDoubleBlocks);
    driver().launch(kernels.lone[0], blocks, 1, kWarp,
                    gkl_shim_pairhmm_cuda_lone_shared_bytes(LonePlanner::kDouble), stream(),
                    parameters);
}

void BatchSlot::launch_one(const gkl_shim_pairhmm_cuda_kernels &kernels, int kernel, int32_t step,
                           int32_t warps) {
    uint64_t block = device_block_.address(), tables = kernels.tables[engine_.conventions];
    uint64_t scratch = scratch_.address();
    void *results = results_.address();
    int32_t first_tile = planned().first_tile[kernel];
    void *parameters[] = {&block, &tables, &scratch, &results, &first_tile, &step};
    driver().launch(kernels.functions[kernel], planned().tiles[kernel], warps, kWarp,
                    gkl_shim_pairhmm_cuda_shared_bytes(precision_, kernel), stream(), parameters);
}

}  // namespace pairhmm
}  // namespace gkl_shim

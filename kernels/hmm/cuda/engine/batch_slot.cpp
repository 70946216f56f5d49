#include "hmm/cuda/engine/batch_slot.h"

#include <string.h>

#include "hmm/cuda/kernels/block_format.h"
#include "hmm/cuda/planner/steps.h"

namespace gkl_shim::pairhmm {

// If a chunk has no more results than this, the host watches the results themselves: each is
// kNoResult until a kernel writes it. Asking the driver instead keeps other threads from launching:
// with 16 callers, one region each, it costs a sixth of the throughput.
constexpr int64_t kWatchedResults = 1 << 16;

// If a chunk's tracks have fewer bytes, they are copied even if they are in pinned memory: that
// takes no longer than to ask, and to send each on its own.
constexpr int64_t kMinPinnedBytes = 1 << 16;

BatchSlot::BatchSlot(gpu::Device *device, const gkl_shim_pairhmm_cuda_options &engine)
    : Slot(device),
      engine_(engine),
      hardware_(engine.devices[device->index]),
      lone_planner_(engine.conventions == GKL_SHIM_AS_GKL,
                    hardware_.multiprocessors * kLoneDoubleBlocks),
      lone_kernels_(driver(), stream(), hardware_, engine.conventions, &lone_planner_) {}

BatchSlot::~BatchSlot() { drain(); }

int64_t BatchSlot::device_bytes() const {
    return device_block_.size_for(planned().block_bytes) +
           scratch_.size_for(planned().scratch_bytes);
}

void BatchSlot::free_device_memory() noexcept {
    drain();
    device_block_.free(driver());
    scratch_.free(driver());
}

ChunkPlan &BatchSlot::plan_for(int32_t precision) {
    precision_ = precision;
    lone_ = false;
    std::unique_ptr<ChunkPlan> &plan = plans_[precision];
    if (!plan)
        plan = std::make_unique<ChunkPlan>(PlannerOptions{
            precision, engine_.conventions, hardware_.multiprocessors, engine_.rows_per_lane,
            engine_.cells[precision], hardware_.scratch_bytes, engine_.planning});
    return *plan;
}

LonePlanner &BatchSlot::lone_planner(int32_t precision) {
    precision_ = precision;
    lone_ = true;
    return lone_planner_;
}

gkl_shim_status BatchSlot::plan() {
    expected_results_ = 0;
    if (lone_) {
        lone_planner_.plan();
        lone_kernels_.begin();
        return GKL_SHIM_OK;
    }
    ChunkPlan *const plan = plans_[precision_].get();
    choose_width(plan);
    const gkl_shim_status status = plan_groups(plan);
    if (status == GKL_SHIM_OK) lay_out_block(plan);
    return status;
}

void BatchSlot::find_pinned_tracks() {
    pinned_tracks_ = !lone_ && planned().block_bytes - planned().tracks >= kMinPinnedBytes;
    if (pinned_tracks_)
        plans_[precision_]->each_track([&](int64_t, const uint8_t *from, int64_t) {
            pinned_tracks_ = pinned_tracks_ && driver().is_pinned(from);
        });
}

int64_t BatchSlot::written_bytes() const {
    return pinned_tracks_ ? planned().tracks : planned().block_bytes;
}

void BatchSlot::make_room() {
    block_.grow(driver(), stream(), written_bytes());
    device_block_.grow(driver(), stream(), planned().block_bytes);
    scratch_.grow(driver(), stream(), planned().scratch_bytes);
    results_.grow(driver(), stream(), planned().results * int64_t(sizeof(double)));
}

ChunkMemory BatchSlot::memory() const {
    return {block_.as<const uint8_t>(), device_block_.address(), scratch_.address(),
            results_.as<double>()};
}

void BatchSlot::write() {
    find_pinned_tracks();
    make_room();
    uint8_t *const block = block_.as<uint8_t>();
    if (lone_)
        lone_planner_.write(block);
    else
        write_block(plans_[precision_].get(), block, !pinned_tracks_);
    expected_results_ = planned().results;
    arrived_results_ = 0;
    if (expected_results_ <= kWatchedResults)
        memset(results_.address(), 0xff, size_t(expected_results_) * sizeof(double));
}

void BatchSlot::launch() {
    driver().send(device_block_.address(), block_.address(), written_bytes(), stream());
    if (pinned_tracks_)
        plans_[precision_]->each_track([&](int64_t to, const uint8_t *from, int64_t size) {
            driver().send(device_block_.address() + uint64_t(to), from, size, stream());
        });
    const gkl_shim_pairhmm_cuda_kernels &kernels = hardware_.kernels[precision_];
    if (lone_) {
        lone_kernels_.launch(memory());
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
    const uint64_t *const results = results_.as<const uint64_t>();
    for (; arrived_results_ < expected_results_; arrived_results_++)
        if (__atomic_load_n(results + arrived_results_, __ATOMIC_ACQUIRE) == kNoResult)
            return false;
    return true;
}

Tried BatchSlot::tried() const {
    if (lone_) return lone_kernels_.tried();
    // The kernels for regions of several haplotypes leave out what no device can compute.
    return precision_ == GKL_SHIM_DOUBLE ? kNoDevice : kTriedSingle;
}

bool BatchSlot::launch_more() {
    if (!lone_ || !lone_kernels_.launch_more(memory())) return false;
    arrived_results_ = 0;
    return true;
}

int64_t BatchSlot::collect() {
    const double *const results = results_.as<const double>();
    return lone_ ? lone_planner_.collect(results, span.results)
                 : collect_results(plans_[precision_].get(), results, span.results);
}

void BatchSlot::launch_widths(const gkl_shim_pairhmm_cuda_kernels &kernels, int32_t step,
                              int32_t warps) {
    for (int width = 0; width < GKL_SHIM_PAIRHMM_CUDA_WIDTHS; width++)
        if (planned().tiles[width] > 0) launch_one(kernels, width, step, warps);
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

}  // namespace gkl_shim::pairhmm

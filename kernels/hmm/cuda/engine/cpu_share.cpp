#include "hmm/cuda/engine/cpu_share.h"

#include <math.h>

#include <algorithm>
#include <utility>

#include "common/thread_pool.h"

namespace gkl_shim::pairhmm {

// With more batches waiting than this for each thread, all threads stop launching.
constexpr int64_t kMaxBatchesPerThread = 4;
// About how many of their cells a thread computes in a nanosecond.
constexpr int64_t kCellsPerNanosecond = 2;

void CpuShare::add(UnfinishedReads &&reads) {
    const std::lock_guard<std::mutex> lock(mutex_);
    batches_.push_back(std::move(reads));
    batch_count_ = int64_t(batches_.size());
}

bool CpuShare::too_many_left() const {
    return batch_count_ > kMaxBatchesPerThread * settings_.threads;
}

void CpuShare::compute_some() {
    UnfinishedReads reads;
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (batches_.empty()) return;
        reads = std::move(batches_.front());
        batches_.pop_front();
        batch_count_ = int64_t(batches_.size());
    }
    call_.attempt([&] {
        const gkl_shim_pairhmm_batch batch = reads.batch();
        compute_missing(batch, reads.values(), reads.pairs(), 1);
        reads.copy_results(whole_span(batch, reads.values()));
    });
}

void CpuShare::compute_all() {
    while (any_left() && !call_.failed()) {
        const int64_t count = batch_count_;
        parallel_for(count, count * kCpuBatchCells / kCellsPerNanosecond, settings_.threads,
                     [this](int64_t) { compute_some(); });
    }
}

void CpuShare::compute_missing(const gkl_shim_pairhmm_batch &batch, double *values, int64_t pairs,
                               int threads) {
    CpuSettings settings = settings_;
    settings.threads = threads;
    settings.only_missing = true;
    const bool untried = std::any_of(values, values + pairs, is_untried);
    on_cpu += std::count_if(values, values + pairs, [](double x) { return isnan(x); });
    const gkl_shim_pairhmm_stats counts = compute_on_cpu(settings, batch, values);
    if (untried) computed_cells += counts.computed_cells;
    rescaled += counts.rescaled_pairs;
}

void CpuShare::compute(const gkl_shim_pairhmm_batch &batch, double *values, int64_t pairs) {
    on_cpu += pairs;
    const gkl_shim_pairhmm_stats counts = compute_on_cpu(settings_, batch, values);
    computed_cells += counts.computed_cells;
    rescued += counts.rescued_pairs;
    rescaled += counts.rescaled_pairs;
}

}  // namespace gkl_shim::pairhmm

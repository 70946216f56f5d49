#include "pairhmm/cuda/engine/cpu_share.h"

#include <math.h>

#include <algorithm>
#include <utility>

#include "common/thread_pool.h"

namespace gkl_shim {
namespace pairhmm {
namespace {

// With more pieces than this for each thread, all threads stop for them.
constexpr int64_t kMaxPieces = 4;
// About how many of their cells a thread computes in a nanosecond.
constexpr int64_t kCellsPerNanosecond = 2;

}  // namespace

void CpuShare::add(Leftovers &&reads) {
    const std::lock_guard<std::mutex> lock(mutex_);
    pieces_.push_back(std::move(reads));
    piece_count_ = int64_t(pieces_.size());
}

bool CpuShare::too_many_left() const { return piece_count_ > kMaxPieces * cpu_.threads; }

void CpuShare::compute_some() {
    Leftovers piece;
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (pieces_.empty()) return;
        piece = std::move(pieces_.front());
        pieces_.pop_front();
        piece_count_ = int64_t(pieces_.size());
    }
    call_.attempt([&] {
        const gkl_shim_pairhmm_batch batch = piece.batch();
        complete(batch, piece.values(), piece.pairs(), 1);
        piece.hand_over(whole(batch, piece.values()));
    });
}

void CpuShare::compute_all() {
    while (any_left() && !call_.failed()) {
        const int64_t count = piece_count_;
        parallel_for(count, count * kPieceCells / kCellsPerNanosecond, cpu_.threads,
                     [this](int64_t) { compute_some(); });
    }
}

void CpuShare::complete(const gkl_shim_pairhmm_batch &batch, double *values, int64_t pairs,
                        int threads) {
    CpuSettings settings = cpu_;
    settings.threads = threads;
    settings.only_missing = true;
    const bool untried = std::any_of(values, values + pairs, is_untried);
    on_cpu += std::count_if(values, values + pairs, [](double x) { return isnan(x); });
    const CpuCounts counts = compute_on_cpu(settings, batch, values);
    if (untried) computed_cells += counts.computed_cells;
    rescaled += counts.rescaled_pairs;
}

void CpuShare::compute(const gkl_shim_pairhmm_batch &batch, double *values, int64_t pairs) {
    on_cpu += pairs;
    const CpuCounts counts = compute_on_cpu(cpu_, batch, values);
    computed_cells += counts.computed_cells;
    rescued += counts.rescued_pairs;
    rescaled += counts.rescaled_pairs;
}

}  // namespace pairhmm
}  // namespace gkl_shim

#include "hmm/pairhmm/engine_choice.h"

#include "common/cpu.h"
#include "common/error.h"
#include "hmm/batch.h"
#include "hmm/cuda/engine/start.h"
#include "hmm/pairhmm/model.h"

namespace gkl_shim::pairhmm {
namespace {

// Cells of the input a nanosecond, on the GPU and on one thread of the CPU. Columns that haplotypes
// share count in both. Measured from C with an H200 and a core of its machine (benchmarks/results).
// The trip is the time that one pair takes to the GPU and back.
constexpr double kTripNanoseconds = 35000, kGpuCells = 3000, kCpuCells = 20;
// The same in double precision. In long reads the CPU meets many subnormal numbers, which are slow.
constexpr double kGpuDoubleCells = 600, kCpuDoubleCells = 10, kCpuLongCells = 0.25;
// A GPU with 1/64 of its single-precision units for double precision.
constexpr double kGpuSlowDoubleCells = 10;

int64_t cells_of_long_reads(const gkl_shim_pairhmm_batch &batch) {
    int64_t cells = 0;
    for (int64_t g = 0; g < batch.regions; g++) {
        int64_t bases = 0;
        for (int64_t r = batch.region_reads[g]; r < batch.region_reads[g + 1]; r++) {
            const int64_t length = batch.read_offsets[r + 1] - batch.read_offsets[r];
            if (length > kLongestSingleRead) bases += length;
        }
        cells += bases * hmm::haplotype_letters(batch, g);
    }
    return cells;
}

// Estimates the cost of a call. `slow_double`: the GPU is slow in double precision.
gkl_shim_call_estimate estimate_call(const gkl_shim_pairhmm_batch &batch, int64_t cells,
                                     bool double_precision, bool slow_double, int threads) {
    const double on_gpu = slow_double ? kGpuSlowDoubleCells : kGpuDoubleCells;
    const double slow = double(cells_of_long_reads(batch)), fast = double(cells) - slow;
    return {
        cells,
        (fast / (double_precision ? kCpuDoubleCells : kCpuCells) + slow / kCpuLongCells) / threads,
        kTripNanoseconds + fast / (double_precision ? on_gpu : kGpuCells) + slow / on_gpu};
}

}  // namespace

EngineChoice::EngineChoice(int32_t backend) : backend_(backend) { start_cuda(backend); }

EngineChoice::Call EngineChoice::choose(const gkl_shim_pairhmm_batch &batch, int64_t cells,
                                        const hmm::CpuSettings &settings) {
    Call call;
    if (backend_ == GKL_SHIM_CPU || cells == 0) return call;
    call.by_cost = backend_ == GKL_SHIM_AUTO;
    // Whether the GPU is slow in double precision is learned.
    if (call.by_cost)
        call.estimate =
            estimate_call(batch, cells, settings.double_precision, false, settings.threads);
    call.to_gpu = (!call.by_cost || costs_.prefer_gpu(call.estimate)) &&
                  cuda_is_ready(backend_ == GKL_SHIM_CUDA);
    return call;
}

}  // namespace gkl_shim::pairhmm

extern "C" gkl_shim_status gkl_shim_pairhmm_estimate(const gkl_shim_pairhmm_batch *batch,
                                                     int32_t precision, int32_t slow_double,
                                                     int32_t threads,
                                                     gkl_shim_call_estimate *call) {
    using namespace gkl_shim;
    return guarded([&] {
        hmm::Shape shape;
        if (!hmm::check_shape(*batch, &shape, hmm::kPairHmmLimits)) return GKL_SHIM_EINVAL;
        *call = pairhmm::estimate_call(*batch, shape.cells, precision == GKL_SHIM_DOUBLE,
                                       slow_double != 0, allowed_threads(threads));
        return GKL_SHIM_OK;
    });
}

// The planner of PairHMM's CUDA engine, as tests call it: chunks are planned and written, but no
// kernel computes them.
#include <algorithm>
#include <vector>

#include "common/error.h"
#include "hmm/cuda/planner/steps.h"

using namespace gkl_shim;
using namespace gkl_shim::pairhmm;

static constexpr size_t kGuardBytes = 64;
static constexpr uint8_t kGuard = 0xA5;

// What a test wants to know of a chunk.
struct PlannerChunk {
    int64_t pairs;
    int64_t results;  // that the kernels write
    int64_t missing;  // pairs of the chunk's reads without a result
    int64_t scratch_bytes;
    int32_t tiles[GKL_SHIM_PAIRHMM_CUDA_KERNELS];
    int32_t striped_passes;
    int32_t overrun;  // 1: bytes after the block were written, too
};

// Plans all chunks of a batch, and writes each. The results of all chunks are 0, 1, 2 …; they are
// put into `values`. `given`: only the pairs that are NaN there are wanted. Returns the number of
// chunks, of which the first `size` are described, or minus a gkl_shim_status.
extern "C" int64_t plan_chunks(const gkl_shim_pairhmm_batch *batch, int32_t precision,
                               int32_t rows_per_lane, int64_t cells, int64_t scratch_bytes,
                               int32_t given, double *values, PlannerChunk *chunks, int64_t size) {
    int64_t count = 0, number = 0;
    const gkl_shim_status status = guarded([&] {
        ChunkPlan plan({precision, GKL_SHIM_STRICT, 132, rows_per_lane, cells, scratch_bytes, 0});
        BatchPlace place;
        for (;; count++) {
            const BatchPlace begin = place;
            if (!choose_reads(&plan, {batch, given ? values : nullptr, 2, 0}, &place)) break;
            choose_width(&plan);
            check(plan_groups(&plan));
            lay_out_block(&plan);
            const PlannedChunk &chunk = plan.chunk;
            std::vector<uint8_t> block(size_t(chunk.block_bytes) + kGuardBytes, kGuard);
            write_block(&plan, block.data(), true);
            std::vector<double> results;
            while (int64_t(results.size()) < chunk.results) results.push_back(double(number++));
            const int64_t missing = collect_results(&plan, results.data(), values);
            if (count >= size) continue;
            PlannerChunk &told = chunks[count];
            told = {};
            told.pairs = pairs_of(span_between(*batch, values, begin, place));
            told.results = chunk.results;
            told.missing = missing;
            told.scratch_bytes = chunk.scratch_bytes;
            told.striped_passes = chunk.striped_passes;
            std::copy_n(chunk.tiles, size_t(GKL_SHIM_PAIRHMM_CUDA_KERNELS), told.tiles);
            told.overrun = std::any_of(block.end() - kGuardBytes, block.end(),
                                       [](uint8_t byte) { return byte != kGuard; });
        }
        return GKL_SHIM_OK;
    });
    return status == GKL_SHIM_OK ? count : -int64_t(status);
}

// The CUDA engine's planner (gkl_shim_internal.h): the steps that make a chunk, in order.
#include <algorithm>

#include "common/cpu.h"
#include "common/error.h"
#include "gkl_shim_internal.h"
#include "pairhmm/cuda/planner/chunk_plan.h"
#include "pairhmm/cuda/planner/chunker.h"
#include "pairhmm/cuda/planner/steps.h"

using namespace gkl_shim;
using namespace gkl_shim::pairhmm;

// Makes chunks of a batch, one at a time.
struct gkl_shim_pairhmm_cuda_planner {
   public:
    explicit gkl_shim_pairhmm_cuda_planner(const gkl_shim_pairhmm_cuda_planner_options &options)
        : plan_(options), threads_(allowed_threads(options.threads)) {}

    bool take(const gkl_shim_pairhmm_batch &batch, const double *values,
              gkl_shim_pairhmm_cuda_chunk *chunk) {
        plan_.batch = batch;
        plan_.values = values;
        plan_.threads = chunk->threads > 0 ? chunk->threads : threads_;
        plan_.multiprocessors =
            std::max(1.0, double(plan_.options.multiprocessors) / (1 + chunk->chunks_in_flight));
        Chunker(&plan_).take(chunk);
        return !plan_.parts.empty();
    }

    gkl_shim_status plan(gkl_shim_pairhmm_cuda_chunk *chunk) {
        choose_width(&plan_, chunk);
        plan_.each_group(plan_.nanoseconds, [&](Group &group) { plan_group(&plan_, &group); });
        for (int64_t k = 0; k < plan_.group_count; k++)
            if (plan_.groups[k]->refused >= 0)
                return invalid("haplotype_bases: a letter of region %lld is none of ACGTN",
                               (long long)plan_.groups[k]->refused);
        lay_out_block(&plan_, chunk);
        return GKL_SHIM_OK;
    }

    void write(uint8_t *block) { write_block(&plan_, block); }

    int64_t finish(const double *results, double *values) {
        return collect_results(&plan_, results, values);
    }

   private:
    ChunkPlan plan_;
    const int32_t threads_;
};

extern "C" gkl_shim_status gkl_shim_pairhmm_cuda_planner_open(
    const gkl_shim_pairhmm_cuda_planner_options *options, gkl_shim_pairhmm_cuda_planner **planner) {
    return opened(planner, *options);
}

extern "C" int32_t gkl_shim_pairhmm_cuda_planner_take(gkl_shim_pairhmm_cuda_planner *planner,
                                                      const gkl_shim_pairhmm_batch *batch,
                                                      const double *values,
                                                      gkl_shim_pairhmm_cuda_chunk *chunk) {
    bool taken = false;
    const gkl_shim_status status = guarded([&] {
        taken = planner->take(*batch, values, chunk);
        return GKL_SHIM_OK;
    });
    return status == GKL_SHIM_OK ? taken : -int32_t(status);
}

extern "C" gkl_shim_status gkl_shim_pairhmm_cuda_planner_plan(
    gkl_shim_pairhmm_cuda_planner *planner, gkl_shim_pairhmm_cuda_chunk *chunk) {
    return guarded([&] { return planner->plan(chunk); });
}

extern "C" gkl_shim_status gkl_shim_pairhmm_cuda_planner_write(
    gkl_shim_pairhmm_cuda_planner *planner, void *block) {
    return guarded([&] {
        planner->write(static_cast<uint8_t *>(block));
        return GKL_SHIM_OK;
    });
}

extern "C" int64_t gkl_shim_pairhmm_cuda_planner_finish(gkl_shim_pairhmm_cuda_planner *planner,
                                                        const double *results, double *values) {
    int64_t missing = 0;
    const gkl_shim_status status = guarded([&] {
        missing = planner->finish(results, values);
        return GKL_SHIM_OK;
    });
    return status == GKL_SHIM_OK ? missing : -int64_t(status);
}

extern "C" void gkl_shim_pairhmm_cuda_planner_close(gkl_shim_pairhmm_cuda_planner *planner) {
    delete planner;
}

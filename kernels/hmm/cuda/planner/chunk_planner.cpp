#include "hmm/cuda/planner/chunk_planner.h"

#include <algorithm>

#include "common/cpu.h"
#include "common/error.h"
#include "hmm/cuda/planner/steps.h"

namespace gkl_shim::pairhmm {

ChunkPlanner::ChunkPlanner(const PlannerOptions &options)
    : plan_(options), threads_(allowed_threads(options.threads)) {}

bool ChunkPlanner::choose_reads(const ChunkInputs &inputs, BatchPlace *place) {
    plan_.batch = *inputs.batch;
    plan_.values = inputs.values;
    plan_.threads = inputs.threads > 0 ? inputs.threads : threads_;
    plan_.multiprocessors =
        std::max(1.0, double(plan_.options.multiprocessors) / (1 + inputs.chunks_in_flight));
    pairhmm::choose_reads(&plan_, place);
    return !plan_.parts.empty();
}

gkl_shim_status ChunkPlanner::plan() {
    choose_width(&plan_);
    plan_.each_group(plan_.nanoseconds, [&](Group &group) { plan_group(&plan_, &group); });
    for (int64_t k = 0; k < plan_.group_count; k++)
        if (plan_.groups[k]->refused >= 0)
            return invalid("haplotype_bases: a letter of region %lld is none of ACGTN",
                           (long long)plan_.groups[k]->refused);
    lay_out_block(&plan_);
    return GKL_SHIM_OK;
}

void ChunkPlanner::write(uint8_t *block, bool tracks) { write_block(&plan_, block, tracks); }

int64_t ChunkPlanner::collect(const double *results, double *values) {
    return collect_results(&plan_, results, values);
}

}  // namespace gkl_shim::pairhmm

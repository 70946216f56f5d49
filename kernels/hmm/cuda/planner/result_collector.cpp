#include <math.h>

#include <algorithm>
#include <atomic>

#include "hmm/cuda/planner/steps.h"

namespace gkl_shim::pairhmm {
namespace {

// The time that collecting takes one thread, in nanoseconds.
constexpr int64_t kCollectPerPair = 1;

// Copies the results of a part of which all pairs are wanted. Returns how many pairs have none.
// `row`: the read of each row of the results.
int64_t copy_all(const RegionPart &part, const int32_t *row, const double *results,
                 double *values) {
    const int64_t count = part.haplotype_count;
    int64_t missing = 0;
    const auto put = [&](double *to, int64_t pairs) {
        for (int64_t k = 0; k < pairs; k++) {
            to[k] = results[k];
            missing += results[k] != results[k];
        }
        results += pairs;
    };
    if (part.rows == part.reads) {
        put(values, part.reads * count);
    } else {
        std::fill_n(values, part.reads * count, no_result());
        missing += (part.reads - part.rows) * count;
        for (int32_t r = 0; r < part.rows; r++) put(values + row[r] * count, count);
    }
    return missing;
}

// The same for a part of which only the pairs that are NaN are wanted. `chosen`: the haplotype of
// each column of the results.
int64_t copy_missing(const ChunkPlan &plan, const RegionPart &part, const int32_t *row,
                     const int32_t *chosen, const double *results, double *values) {
    const int64_t count = part.haplotype_count;
    for (int32_t r = 0; r < part.rows; r++) {
        double *const to = values + row[r] * count;
        for (int32_t h = 0; h < part.haplotypes; h++, results++)
            if (isnan(to[chosen[h]])) to[chosen[h]] = *results;
    }
    const int64_t *offsets = plan.batch.read_offsets + part.first_read;
    int64_t missing = 0;
    for (int64_t r = 0; r < part.reads; r++) {
        if (!plan.belongs_to(part, offsets[r + 1] - offsets[r])) continue;
        for (int64_t pair = r * count; pair < (r + 1) * count; pair++)
            missing += isnan(values[pair]);
    }
    return missing;
}

}  // namespace

int64_t collect_results(ChunkPlan *plan, const double *results, double *values) {
    std::atomic<int64_t> all_missing{0};
    plan->each_group(plan->result_count * kCollectPerPair, [&](const Group &group) {
        const double *result = results + group.first_result;
        const int32_t *row = group.rows.data(), *chosen = group.chosen.data();
        int64_t missing = 0;
        for (int64_t k = group.first_part; k < group.end_part; k++) {
            const RegionPart &part = plan->parts[k];
            double *const to = values + part.first_pair;
            missing += plan->values ? copy_missing(*plan, part, row, chosen, result, to)
                                    : copy_all(part, row, result, to);
            result += int64_t(part.rows) * part.haplotypes;
            row += part.rows;
            if (plan->values) chosen += part.haplotypes;
        }
        all_missing += missing;
    });
    return all_missing;
}

}  // namespace gkl_shim::pairhmm

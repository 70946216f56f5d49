#include "editdistance/cpu/engine.h"

#include <algorithm>

#include "common/per_thread.h"
#include "common/scratch.h"
#include "common/thread_pool.h"

namespace gkl_shim {
namespace editdistance {
namespace {

// How many cells one thread computes in a nanosecond, about.
constexpr int64_t kCellsPerNanosecond = 2;
// What a thread keeps for its next call.
constexpr size_t kKeptBytes = size_t(1) << 20;

PerThread<Scratch> scratch;

struct Job {
    const CpuBuild &build;
    int64_t pairs;
    Sequences first, second;
    int32_t *distances;

    void compute(int64_t index) const {
        Group group = {};
        const int64_t begin = index * build.lanes;
        const int lanes = int(std::min<int64_t>(build.lanes, pairs - begin));
        for (int lane = 0; lane < lanes; lane++) {
            group.first[lane] = first.letters + first.offsets[begin + lane];
            group.second[lane] = second.letters + second.offsets[begin + lane];
            group.rows[lane] = first.length(begin + lane);
            group.columns[lane] = second.length(begin + lane);
        }
        const size_t bytes =
            build.workspace(*std::max_element(group.rows, group.rows + lanes),
                            *std::max_element(group.columns, group.columns + lanes));
        build.compute(&group, scratch->get(bytes));
        std::copy(group.distance, group.distance + lanes, distances + begin);
        scratch->trim(kKeptBytes);
    }
};

}  // namespace

const Builds<CpuBuild> &cpu_builds() {
    static const Builds<CpuBuild> builds(GKL_SHIM_COMPILED_BUILDS);
    return builds;
}

void compute_on_cpu(const CpuBuild &build, int threads, int64_t pairs, const Sequences &first,
                    const Sequences &second, int32_t *distances) {
    Job job{build, pairs, first, second, distances};
    int64_t cells = 0;
    for (int64_t k = 0; k < pairs; k++) cells += int64_t(first.length(k)) * second.length(k);
    parallel_for((pairs + build.lanes - 1) / build.lanes, cells / kCellsPerNanosecond, threads,
                 [](void *context, int64_t index) { static_cast<Job *>(context)->compute(index); },
                 &job);
}

}  // namespace editdistance
}  // namespace gkl_shim

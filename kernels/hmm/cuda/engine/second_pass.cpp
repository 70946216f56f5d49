#include "hmm/cuda/engine/second_pass.h"

#include <math.h>

#include <algorithm>
#include <utility>

namespace gkl_shim::pairhmm {

// About the cells of a batch of reads that goes to a device for double precision: a third of a
// millisecond for a large device.
constexpr int64_t kRescueCells = 1 << 28;
// Fewer cells than this take one CPU thread no longer than a launch and its return, some 50 us,
// even if they belong to one read, which leaves most of a vector empty.
constexpr int64_t kFewCells = 1 << 15;
// The fewest reads of a region that the CPU computes at a time: they fill a vector.
constexpr int64_t kMinCpuReads = 8;

// Copies the reads that lack results to those that are collected for an assignee. Reads that single
// precision has not tried go to any device: most are long, and slow on the CPU.
void SecondPass::add(const Span &span, const Rescue *rescue, Tried tried) {
    const bool any_fast = devices_.any(
        [&](const gpu::Device &device) { return !options_.devices[device.index].slow_double; });
    const Assignee for_tried_pairs = tried == kTriedSingle && any_fast ? kFastDevice : kCpu;
    each_region(span, [&](int64_t region, int64_t first, int64_t last, double *values) {
        const int64_t count = haplotypes_of(*span.batch, region);
        for (auto &reads : region_reads_) reads.clear();
        for (int64_t read = first; read < last; read++, values += count) {
            const double *const end = values + count;
            const double *const lacking = std::find_if(static_cast<const double *>(values), end,
                                                       [](double x) { return isnan(x); });
            if (lacking == end) continue;
            const bool untried = is_untried(*lacking);
            const Assignee assignee = !untried             ? for_tried_pairs
                                      : tried == kNoDevice ? kCpuUntried
                                                           : kAnyDevice;
            double *const to = rescue ? rescue->reads.destination(read) : values;
            region_reads_[assignee].push_back({read, values, to});
        }
        for (int assignee = 0; assignee < kAssignees; assignee++)
            add_region(Assignee(assignee), *span.batch, region);
    });
    // The next rescue may have the address of this one.
    if (rescue)
        for (UnfinishedReads &reads : collected_reads_) reads.end_region();
}

// Adds a region's reads, sorted by length, because reads of similar length are computed together.
void SecondPass::add_region(Assignee assignee, const gkl_shim_pairhmm_batch &batch,
                            int64_t region) {
    std::vector<UnfinishedReads::Read> &reads = region_reads_[assignee];
    const auto length = [&](const UnfinishedReads::Read &read) {
        return batch.read_offsets[read.index + 1] - batch.read_offsets[read.index];
    };
    std::stable_sort(reads.begin(), reads.end(),
                     [&](const UnfinishedReads::Read &x, const UnfinishedReads::Read &y) {
                         return length(x) > length(y);
                     });
    UnfinishedReads &collected = collected_reads_[assignee];
    const int64_t max_cells = is_cpu(assignee) ? kCpuBatchCells : kRescueCells;
    for (size_t k = 0; k < reads.size(); k++) {
        if (k % kMinCpuReads == 0 && collected.cells >= max_cells) dispatch(assignee);
        collected.add(batch, region, reads[k]);
    }
    if (collected.cells >= max_cells) dispatch(assignee);
}

void SecondPass::dispatch(Assignee assignee) {
    UnfinishedReads reads = std::exchange(collected_reads_[assignee], UnfinishedReads());
    if (is_cpu(assignee) || (assignee == kFastDevice && reads.cells < kFewCells)) {
        cpu_.add(std::move(reads));
        return;
    }
    const BatchQueueOptions options = {GKL_SHIM_DOUBLE, false, assignee == kFastDevice,
                                       options_.devices};
    rescues_.push_back(std::make_shared<Rescue>(&call_, std::move(reads), options));
}

void SecondPass::dispatch_all() {
    for (int assignee = 0; assignee < kAssignees; assignee++)
        if (!collected_reads_[assignee].empty()) dispatch(Assignee(assignee));
}

std::shared_ptr<gpu::Queue> SecondPass::next_queue() {
    while (!rescues_.empty() && !rescues_.back()->more()) rescues_.pop_back();
    return rescues_.empty() ? nullptr : rescues_.back();
}

bool SecondPass::any_left() const {
    return !rescues_.empty() ||
           std::any_of(collected_reads_, collected_reads_ + kAssignees,
                       [](const UnfinishedReads &reads) { return !reads.empty(); });
}

}  // namespace gkl_shim::pairhmm

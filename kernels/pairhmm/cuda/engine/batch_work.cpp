#include "pairhmm/cuda/engine/batch_work.h"

#include <math.h>

#include <algorithm>
#include <utility>

#include "pairhmm/cuda/engine/chunk.h"

namespace gkl_shim {
namespace pairhmm {
namespace {

// About the cells of a batch of reads that goes to a device for double precision: a third of a
// millisecond for a large device.
constexpr int64_t kRescueCells = 1 << 28;
// Fewer cells than this take one CPU thread no longer than a launch and its return, some 50 us,
// even if they belong to one read, which leaves most of a vector empty.
constexpr int64_t kFewCells = 1 << 15;
// The fewest reads of a region that the CPU computes at a time: they fill a vector.
constexpr int64_t kPieceReads = 8;

}  // namespace

std::shared_ptr<gpu::Queue> BatchWork::next_queue() {
    if (!queue_.more() || !devices_.any_for(queue_)) close_all();
    while (!ready_.empty() && !ready_.back()->more()) ready_.pop_back();
    if (!ready_.empty()) return ready_.back();
    if (!queue_.more()) return nullptr;
    return {std::shared_ptr<gpu::Queue>(), &queue_};  // owned by the call
}

bool BatchWork::any_left() const {
    return !ready_.empty() || (queue_.more() && devices_.any_for(queue_)) ||
           std::any_of(open_, open_ + kTargets, [](const Leftovers &l) { return !l.empty(); });
}

// The call itself computes what is left in its own queue.
void BatchWork::no_device_for(gpu::Queue *queue) {
    if (const Rescue *const rescue = rescue_of(queue))
        static_cast<Rescue *>(queue)->take_rest(
            [&](const Span &span) { leave(span, rescue, true); });
}

void BatchWork::collect(gpu::Slot *slot) {
    Chunk &chunk = *static_cast<Chunk *>(slot);
    const Rescue *const rescue = rescue_of(slot->queue.get());
    const bool single = !rescue && queue_.options.precision == GKL_SHIM_SINGLE;
    const int64_t missing = chunk.collect();
    cpu_.computed_cells += chunk.figures.computed_cells;
    if (single) cpu_.rescued += missing;
    if (rescue) rescue->reads.hand_over(chunk.span);
    if (missing > 0) leave(chunk.span, rescue, !single);
}

void BatchWork::lose(gpu::Slot *slot) {
    const Span &span = static_cast<Chunk *>(slot)->span;
    if (const Rescue *const rescue = rescue_of(slot->queue.get()))
        leave(span, rescue, true);
    else
        queue_.add_undone(span);
}

// Copies the reads of a span that lack results to the leftovers of those who will compute them.
// Reads that single precision has not tried go to any device: most are long, and slow on the CPU.
void BatchWork::leave(const Span &span, const Rescue *rescue, bool to_cpu) {
    const bool any_fast = devices_.any([&](const gpu::Device &device) {
        return !queue_.options.devices[device.index].slow_double;
    });
    const Target for_tried = any_fast ? kFastDevice : kCpu;
    each_region(span, [&](int64_t region, int64_t first, int64_t last, double *values) {
        const int64_t count = haplotypes_of(*span.batch, region);
        for (auto &rows : rows_) rows.clear();
        for (int64_t read = first; read < last; read++, values += count) {
            const double *const end = values + count;
            const double *const lacking = std::find_if(static_cast<const double *>(values), end,
                                                       [](double x) { return isnan(x); });
            if (lacking == end) continue;
            const bool untried = is_untried(*lacking);
            const Target target = to_cpu    ? untried ? kCpuUntried : kCpu
                                  : untried ? kAnyDevice
                                            : for_tried;
            double *const to = rescue ? rescue->reads.destination(read) : values;
            rows_[target].push_back({read, values, to});
        }
        for (int target = 0; target < kTargets; target++) add(Target(target), *span.batch, region);
    });
    // The next rescue may have the address of this one.
    if (rescue)
        for (Leftovers &open : open_) open.end_region();
}

// Reads of similar length are computed together.
void BatchWork::add(Target target, const gkl_shim_pairhmm_batch &batch, int64_t region) {
    std::vector<Leftovers::Row> &rows = rows_[target];
    const auto length = [&](const Leftovers::Row &row) {
        return batch.read_offsets[row.read + 1] - batch.read_offsets[row.read];
    };
    std::stable_sort(
        rows.begin(), rows.end(),
        [&](const Leftovers::Row &x, const Leftovers::Row &y) { return length(x) > length(y); });
    Leftovers &open = open_[target];
    const int64_t most = is_cpu(target) ? kPieceCells : kRescueCells;
    for (size_t k = 0; k < rows.size(); k++) {
        if (k % kPieceReads == 0 && open.cells >= most) close(target);
        open.add(batch, region, rows[k]);
    }
    if (open.cells >= most) close(target);
}

void BatchWork::close(Target target) {
    Leftovers closed = std::exchange(open_[target], Leftovers());
    if (is_cpu(target) || (target == kFastDevice && closed.cells < kFewCells)) {
        cpu_.add(std::move(closed));
        return;
    }
    const BatchQueueOptions options = {GKL_SHIM_DOUBLE, false, target == kFastDevice,
                                       queue_.options.devices};
    ready_.push_back(std::make_shared<Rescue>(&call_, std::move(closed), options));
}

void BatchWork::close_all() {
    for (int target = 0; target < kTargets; target++)
        if (!open_[target].empty()) close(Target(target));
}

}  // namespace pairhmm
}  // namespace gkl_shim

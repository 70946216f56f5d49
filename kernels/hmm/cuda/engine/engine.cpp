// The CUDA engine's interface (gkl_shim_internal.h).
//
// The engine cuts batches into chunks (batch_queue.h). Launch threads take the chunks to the
// devices (gpu/launch_threads.h). A chunk is planned and written to pinned memory, travels to a
// device in one transfer, and is computed by one kernel launch for each width of tile
// (batch_slot.h). Several chunks are in flight at once, so that planning, transfers and kernels
// overlap.
//
// Results have the CPU engine's bits. Pairs outside the range of single precision are computed in
// double precision (second_pass.h). The CPU engine computes the pairs that the double kernels
// cannot represent, and those that a failed device leaves undone (cpu_share.h).
#include "hmm/cuda/engine/engine.h"

#include <algorithm>
#include <chrono>

#include "common/cpu.h"
#include "common/error.h"
#include "gpu/devices.h"
#include "hmm/cuda/engine/batch_queue.h"
#include "hmm/cuda/engine/batch_slot.h"
#include "hmm/cuda/engine/batch_work.h"
#include "hmm/letters.h"
#include "hmm/pairhmm/gkl_rounding.h"

using namespace gkl_shim;
using namespace gkl_shim::pairhmm;

namespace {

typedef std::chrono::steady_clock Clock;

// The approximate time that a chunk takes a launch thread, and the most launch threads a device.
constexpr int64_t kChunkNanoseconds = 200000;
enum { kMaxLaunchThreads = 16 };

}  // namespace

CudaEngine::CudaEngine(const gkl_shim_pairhmm_cuda_options &options)
    : gkl_shim_cuda_engine(
          *options.driver, options.slots,
          [this](gpu::Device *device) { return std::make_unique<BatchSlot>(device, options_); }),
      hardware_(options.devices, options.devices + options.device_count),
      options_(with_own_devices(options)),
      cpu_settings_{&cpu_builds().best(), options_.threads, options.precision == GKL_SHIM_DOUBLE,
                    options.conventions == GKL_SHIM_AS_GKL} {
    for (const gkl_shim_pairhmm_cuda_device &device : hardware_)
        devices.add(device.number, device.context, device.memory_bytes);
    const int32_t count = options.device_count;
    int32_t threads = options.launch_threads > 0
                          ? options.launch_threads * count
                          : std::clamp(options_.threads, count, kMaxLaunchThreads * count);
    const int32_t chunks =
        options.streams > 0 ? options.streams * count : std::max(2 * threads, 3 * count);
    threads = std::min(threads, chunks);
    limits_ = {threads, size_t(std::max(1, chunks / threads)), options_.threads, kChunkNanoseconds};
}

gkl_shim_status CudaEngine::compute(const CheckedBatches &batches, double *results,
                                    gkl_shim_pairhmm_stats *done) {
    const Clock::time_point start = Clock::now();
    gpu::Call call;
    CpuShare cpu(&call, cpu_settings_);
    const gkl_shim_status status = compute_all(&call, &cpu, batches, results);
    if (status != GKL_SHIM_OK) return status;
    if (cpu_settings_.as_gkl)
        round_as_gkl(options_.precision == GKL_SHIM_DOUBLE, batches.pairs, results);
    gkl_shim_pairhmm_stats stats = {};
    for (const gkl_shim_pairhmm_batch *batch = batches.begin; batch != batches.end; batch++)
        stats.regions += batch->regions;
    stats.pairs = batches.pairs;
    stats.cells = batches.cells;
    stats.computed_cells = cpu.computed_cells;
    stats.rescued_pairs = cpu.rescued;
    stats.rescaled_pairs = cpu.rescaled;
    stats.cuda_pairs = stats.pairs - cpu.on_cpu;
    stats.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    if (done) *done = stats;
    totals.add(stats);
    return GKL_SHIM_OK;
}

// The caller's options, with this engine's copy of the devices.
gkl_shim_pairhmm_cuda_options CudaEngine::with_own_devices(
    gkl_shim_pairhmm_cuda_options options) const {
    options.threads = allowed_threads(options.threads);
    options.devices = hardware_.data();
    return options;
}

gkl_shim_status CudaEngine::compute_all(gpu::Call *call, CpuShare *cpu,
                                        const CheckedBatches &batches, double *results) {
    const bool all_wanted = options_.precision == GKL_SHIM_SINGLE;
    if (!all_wanted) {
        double *at = results;
        for (const gkl_shim_pairhmm_batch *batch = batches.begin; batch != batches.end; batch++)
            at = std::fill_n(at, pairs_of(whole_span(*batch, at)), no_result());
    }
    BatchQueue queue(call, batches.begin, batches.end, results,
                     {options_.precision, all_wanted, false, options_.devices,
                      options_.rows_per_lane == 0 ? batches.shapes : nullptr, options_.planning,
                      batches.one_gap, options_.threads});
    gpu::compute_on_devices(&devices, call, queue, limits_,
                            [&] { return BatchWork(&devices, call, cpu, &queue); });
    cpu->compute_all();
    call->attempt(
        [&] { queue.take_rest([&](const Span &span) { queue.undone_spans.push_back(span); }); });
    if (call->failed()) return call->status();
    for (const Span &span : queue.undone_spans)
        if (const gkl_shim_status status = compute_undone(cpu, span, all_wanted)) return status;
    return GKL_SHIM_OK;
}

// Computes reads that no device has computed.
gkl_shim_status CudaEngine::compute_undone(CpuShare *cpu, const Span &span, bool all_wanted) const {
    if (span.first == span.last) return GKL_SHIM_OK;
    const PartialBatch part(span);
    const gkl_shim_pairhmm_batch &batch = part.batch;
    double *const values = span.results + span.pair;
    const int64_t letters = batch.haplotype_offsets[haplotypes_of(batch)];
    const int64_t refused = find_refused(cpu_settings_.as_gkl, batch.haplotype_bases, letters);
    if (refused >= 0) {
        int64_t region = 0;
        const int64_t *const ends = batch.haplotype_offsets;
        while (ends[batch.region_haplotypes[region + 1]] <= refused) region++;
        return invalid("haplotype_bases: a letter of region %lld is none of ACGTN",
                       (long long)(span.region + region));
    }
    if (all_wanted)
        cpu->compute(batch, values, pairs_of(span));
    else
        cpu->compute_missing(batch, values, pairs_of(span), cpu_settings_.threads);
    return GKL_SHIM_OK;
}

extern "C" gkl_shim_status gkl_shim_pairhmm_cuda_open(const gkl_shim_pairhmm_cuda_options *options,
                                                      gkl_shim_cuda_engine **engine) {
    return gpu::opened_engine<CudaEngine>(engine, *options);
}

gkl_shim_status gkl_shim::pairhmm::compute_checked(gkl_shim_cuda_engine *engine,
                                                   const gkl_shim_pairhmm_batch &batch,
                                                   double *log10_likelihoods,
                                                   gkl_shim_pairhmm_stats *done) {
    return guarded([&] {
        Shape shape;
        find_shape(batch, &shape);
        return static_cast<CudaEngine *>(engine)->compute(
            {&batch, &batch + 1, &shape, nullptr, shape.pairs, shape.cells}, log10_likelihoods,
            done);
    });
}

extern "C" gkl_shim_status gkl_shim_pairhmm_cuda_compute(gkl_shim_cuda_engine *engine,
                                                         const gkl_shim_pairhmm_batch *batches,
                                                         const uint8_t *one_gap, int64_t count,
                                                         double *log10_likelihoods,
                                                         gkl_shim_pairhmm_stats *done) {
    return guarded([&] {
        std::vector<Shape> shapes(static_cast<size_t>(count));
        CheckedBatches checked = {batches, batches + count, shapes.data(), one_gap, 0, 0};
        for (int64_t k = 0; k < count; k++) {
            Shape &shape = shapes[size_t(k)];
            if (!check_shape(batches[k], &shape, kPairHmmLimits)) return GKL_SHIM_EINVAL;
            checked.pairs += shape.pairs;
            checked.cells += shape.cells;
        }
        return static_cast<CudaEngine *>(engine)->compute(checked, log10_likelihoods, done);
    });
}

extern "C" gkl_shim_status gkl_shim_pairhmm_cuda_statistics(const gkl_shim_cuda_engine *engine,
                                                            gkl_shim_pairhmm_stats *stats) {
    *stats = static_cast<const CudaEngine *>(engine)->totals.get();
    return GKL_SHIM_OK;
}

// The CUDA engine's interface (gkl_shim_internal.h).
//
// It cuts pairs or candidates (sources/) into chunks (chunk.h), which launch
// threads take to the devices (gpu/launch_threads.h). A chunk's input is copied or encoded to
// pinned memory and sent (block.h), filtered (filter_kernels.h), and its results are fetched
// (chunk.h). Several chunks are in flight at once, so that copying, transfers and kernels overlap.
//
// Pairs that a failed device has not computed are marked, and the caller computes them on the CPU.
#include "gpu/engine.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "common/cpu.h"
#include "common/error.h"
#include "common/floating_point_mode.h"
#include "gkl_shim_internal.h"
#include "gpu/call.h"
#include "gpu/ranges.h"
#include "prefilter/cuda/chunk.h"
#include "prefilter/cuda/sources/candidates.h"
#include "prefilter/cuda/sources/pairs.h"

using namespace gkl_shim;
using namespace gkl_shim::prefilter;

namespace {

// Launch threads of a device, and the most chunks that each has in flight. While one thread waits
// for the device, the others copy, each with the help of all idle threads: a launch thread runs in
// the thread pool, and the tasks it shares there wait for nothing.
enum { kLaunchThreads = 3, kChunksPerThread = 2, kSlots = kLaunchThreads * kChunksPerThread };
// Limit on the memory of a slot for the state of the widest bands.
constexpr int64_t kStateBytes = int64_t(1) << 28;
// The approximate time that a chunk takes one launch thread.
constexpr int64_t kChunkNanoseconds = 1000000;

// The devices, kernels and settings that calls filter with.
class CudaEngine : public gkl_shim_cuda_engine {
   public:
    explicit CudaEngine(const gkl_shim_prefilter_cuda_options &options);

    // Filters the pairs [call->first, call->last) of two lists.
    gkl_shim_status compute(const Sequences &reads, const Sequences &segments, int16_t *results,
                            gkl_shim_prefilter_cuda_call *call);
    // Filters the candidates [call->first, call->last).
    gkl_shim_status compute(gkl_shim_prefilter_cuda_resident *resident,
                            const gkl_shim_prefilter_cuda_candidates &candidates, int16_t *results,
                            gkl_shim_prefilter_cuda_call *call);

    const int32_t threads;
    const Method method;
    const int32_t encode;
    const std::vector<gkl_shim_prefilter_cuda_device> hardware;

   private:
    gkl_shim_status run(Source *source, int16_t *results, gkl_shim_prefilter_cuda_call *call);
    int64_t chunk_pairs(const Source &source) const;

    const int64_t chunk_bytes_, memory_bytes_;
};

CudaEngine::CudaEngine(const gkl_shim_prefilter_cuda_options &options)
    : gkl_shim_cuda_engine(*options.driver, kSlots,
                           [this](gpu::Device *device) {
                               return std::make_unique<Chunk>(
                                   device, hardware[device->index].kernels, method, threads);
                           }),
      threads(allowed_threads(options.threads)),
      method{options.method == GKL_SHIM_PREFILTER_GATEKEEPER, options.mode, options.max_edits,
             std::min(kStateBytes, options.memory_bytes / (4 * kSlots))},
      encode(options.encode),
      hardware(options.devices, options.devices + options.device_count),
      chunk_bytes_(options.chunk_bytes),
      memory_bytes_(options.memory_bytes) {
    for (const gkl_shim_prefilter_cuda_device &device : hardware)
        devices.add(device.number, device.context);
}

gkl_shim_status CudaEngine::compute(const Sequences &reads, const Sequences &segments,
                                    int16_t *results, gkl_shim_prefilter_cuda_call *call) {
    Pairs pairs(driver, reads, segments, call->first, call->last, encode, threads);
    return run(&pairs, results, call);
}

gkl_shim_status CudaEngine::compute(gkl_shim_prefilter_cuda_resident *resident,
                                    const gkl_shim_prefilter_cuda_candidates &candidates,
                                    int16_t *results, gkl_shim_prefilter_cuda_call *call) {
    Candidates source(resident, candidates, method);
    return run(&source, results, call);
}

gkl_shim_status CudaEngine::run(Source *source, int16_t *results,
                                gkl_shim_prefilter_cuda_call *outcome) {
    gpu::Call call;
    const int64_t step = outcome->chunk_pairs > 0 ? outcome->chunk_pairs : chunk_pairs(*source);
    ChunkQueue queue(&call, source, {outcome->first, outcome->last}, step, results);
    const int32_t max_threads = int32_t(devices.count()) * kLaunchThreads;
    const gpu::LaunchLimits limits = {std::min(threads, max_threads), kChunksPerThread, 1,
                                      kChunkNanoseconds};
    gpu::compute_ranges(&devices, &call, &queue, limits);
    outcome->fault = queue.fault();
    outcome->undone = 0;
    for (const gpu::Range &undone : queue.undone()) {
        std::fill(results + undone.first, results + undone.last,
                  int16_t(GKL_SHIM_PREFILTER_CUDA_UNDONE));
        outcome->undone += undone.count();
    }
    return call.status();
}

int64_t CudaEngine::chunk_pairs(const Source &source) const {
    const double bytes = std::max(source.pair_bytes(), 1.0);
    // A chunk may hold letters, their planes, and results at the same time.
    const double most = double(memory_bytes_) / (kSlots * (2 * bytes + 8));
    return std::max<int64_t>(int64_t(std::min(double(chunk_bytes_) / bytes, most)), 1);
}

}  // namespace

extern "C" gkl_shim_status gkl_shim_prefilter_cuda_open(
    const gkl_shim_prefilter_cuda_options *options, gkl_shim_cuda_engine **engine) {
    return gpu::opened_engine<CudaEngine>(engine, *options);
}

extern "C" gkl_shim_status gkl_shim_prefilter_cuda_compute(
    gkl_shim_cuda_engine *engine, const gkl_shim_prefilter_sequences *reads,
    const gkl_shim_prefilter_sequences *segments, int16_t *results,
    gkl_shim_prefilter_cuda_call *call) {
    return guarded([&] {
        return static_cast<CudaEngine *>(engine)->compute(*reads, *segments, results, call);
    });
}

extern "C" gkl_shim_status gkl_shim_prefilter_cuda_resident_open(
    gkl_shim_cuda_engine *engine, const gkl_shim_prefilter_cuda_references *references,
    gkl_shim_prefilter_cuda_resident **resident) {
    *resident = nullptr;
    return guarded([&] {
        *resident = new gkl_shim_prefilter_cuda_resident(
            engine->driver, *references, static_cast<CudaEngine *>(engine)->threads);
    });
}

extern "C" gkl_shim_status gkl_shim_prefilter_cuda_compute_candidates(
    gkl_shim_cuda_engine *engine, gkl_shim_prefilter_cuda_resident *resident,
    const gkl_shim_prefilter_cuda_candidates *candidates, int16_t *results,
    gkl_shim_prefilter_cuda_call *call) {
    return guarded([&] {
        return static_cast<CudaEngine *>(engine)->compute(resident, *candidates, results, call);
    });
}

extern "C" void gkl_shim_prefilter_cuda_resident_close(gkl_shim_prefilter_cuda_resident *resident) {
    const FloatingPointMode mode;
    delete resident;
}

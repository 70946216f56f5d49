// The CUDA engine's interface (gkl_shim_internal.h).
//
// It cuts pairs or candidates (source.h) into chunks (chunk_queue.h), which launch
// threads take to the devices (gpu/launch_threads.h). A chunk's input is copied or encoded to
// pinned memory and sent (block.h), filtered (filter_kernels.h), and its results are fetched
// (chunk.h). Several chunks are in flight at once, so that copying, transfers and kernels overlap.
//
// Pairs that a failed device has not computed are marked, and the caller computes them on the CPU.
#include <algorithm>
#include <vector>

#include "common/cpu.h"
#include "common/error.h"
#include "common/floating_point_mode.h"
#include "gkl_shim_internal.h"
#include "gpu/call.h"
#include "gpu/devices.h"
#include "gpu/driver.h"
#include "gpu/launch_threads.h"
#include "prefilter/cuda/candidates.h"
#include "prefilter/cuda/chunk.h"
#include "prefilter/cuda/chunk_queue.h"
#include "prefilter/cuda/pairs.h"

using namespace gkl_shim;
using namespace gkl_shim::prefilter;

namespace {

// Launch threads of a device, and the most chunks that each has in flight. While one thread waits
// for the device, the others copy, each with the help of all idle threads: a launch thread runs in
// the thread pool, and the tasks it shares there wait for nothing.
enum { kLaunchThreads = 3, kChunksPerThread = 2, kSlots = kLaunchThreads * kChunksPerThread };
// The approximate time that a chunk takes one launch thread.
constexpr int64_t kChunkNanoseconds = 1000000;

}  // namespace

struct gkl_shim_prefilter_cuda {
   public:
    explicit gkl_shim_prefilter_cuda(const gkl_shim_prefilter_cuda_options &options)
        : hardware_(options.devices, options.devices + options.device_count),
          threads_(allowed_threads(options.threads)),
          method_{options.method == GKL_SHIM_PREFILTER_GATEKEEPER, options.mode, options.max_edits},
          encode_(options.encode),
          chunk_bytes_(options.chunk_bytes),
          memory_bytes_(options.memory_bytes),
          driver_(*options.driver),
          devices_(driver_, kSlots, [this](gpu::Device *device) {
              return std::make_unique<Chunk>(device, hardware_[device->index].kernels, method_,
                                             threads_);
          }) {
        for (const gkl_shim_prefilter_cuda_device &device : hardware_)
            devices_.add(device.number, device.context);
    }

    gkl_shim_status compute(const Sequences &reads, const Sequences &segments, int16_t *results,
                            gkl_shim_prefilter_cuda_call *part) {
        Pairs pairs(driver_, reads, segments, part->first, part->last, encode_, threads_);
        return run(&pairs, results, part);
    }

    gkl_shim_status compute(gkl_shim_prefilter_cuda_resident *resident,
                            const gkl_shim_prefilter_cuda_candidates &given, int16_t *results,
                            gkl_shim_prefilter_cuda_call *part) {
        Candidates candidates(resident, given, method_);
        return run(&candidates, results, part);
    }

    gkl_shim_status keep(const gkl_shim_prefilter_cuda_references &references,
                         gkl_shim_prefilter_cuda_resident **resident) const {
        *resident = new gkl_shim_prefilter_cuda_resident(driver_, references, threads_);
        return GKL_SHIM_OK;
    }

    gkl_shim_status measure(const Sequences &reads, const Sequences &segments, int64_t count,
                            int repeats, double *seconds) {
        std::vector<int16_t> results(size_t(count), 0);
        const gpu::Device &first = devices_[0];
        return guarded_on_device(first.number, [&] {
            const CudaContext current(driver_, first.context);
            Pairs pairs(driver_, reads, segments, 0, count, encode_, threads_);
            Chunk chunk(&devices_[0], hardware_[0].kernels, method_, threads_);
            chunk.source = &pairs;
            chunk.last = count;
            chunk.results = results.data();
            const gkl_shim_status status = chunk.start();
            if (status == GKL_SHIM_OK) *seconds = chunk.time_kernels(repeats);
            return status;
        });
    }

    const char *next_loss(int32_t *number) { return devices_.next_loss(number); }
    bool uses(int32_t number) const { return devices_.uses(number); }

   private:
    gkl_shim_status run(Source *source, int16_t *results, gkl_shim_prefilter_cuda_call *part) {
        gpu::Call call;
        const int64_t step = part->chunk_pairs > 0 ? part->chunk_pairs : chunk_pairs(*source);
        ChunkQueue queue(&call, source, step, results, part);
        const int32_t most = int32_t(devices_.count()) * kLaunchThreads;
        const gpu::LaunchLimits limits = {std::min(threads_, most), kChunksPerThread, 1,
                                          kChunkNanoseconds};
        gpu::compute_on_devices(&devices_, &call, queue, limits,
                                [&] { return ChunkWork(&devices_, &queue); });
        queue.give_up();
        return call.status();
    }

    int64_t chunk_pairs(const Source &source) const {
        const double bytes = std::max(source.pair_bytes(), 1.0);
        // A chunk may hold letters, their planes, and results at the same time.
        const double most = double(memory_bytes_) / (kSlots * (2 * bytes + 8));
        return std::max<int64_t>(int64_t(std::min(double(chunk_bytes_) / bytes, most)), 1);
    }

    const std::vector<gkl_shim_prefilter_cuda_device> hardware_;
    const int32_t threads_;
    const Method method_;
    const int32_t encode_;
    const int64_t chunk_bytes_, memory_bytes_;
    const CudaDriver driver_;
    gpu::Devices devices_;
};

extern "C" gkl_shim_status gkl_shim_prefilter_cuda_open(
    const gkl_shim_prefilter_cuda_options *options, gkl_shim_prefilter_cuda **engine) {
    return opened(engine, *options);
}

extern "C" gkl_shim_status gkl_shim_prefilter_cuda_compute(
    gkl_shim_prefilter_cuda *engine, const gkl_shim_prefilter_sequences *reads,
    const gkl_shim_prefilter_sequences *segments, int16_t *results,
    gkl_shim_prefilter_cuda_call *call) {
    return guarded([&] { return engine->compute(*reads, *segments, results, call); });
}

extern "C" gkl_shim_status gkl_shim_prefilter_cuda_resident_open(
    gkl_shim_prefilter_cuda *engine, const gkl_shim_prefilter_cuda_references *references,
    gkl_shim_prefilter_cuda_resident **resident) {
    *resident = nullptr;
    return guarded([&] { return engine->keep(*references, resident); });
}

extern "C" gkl_shim_status gkl_shim_prefilter_cuda_compute_candidates(
    gkl_shim_prefilter_cuda *engine, gkl_shim_prefilter_cuda_resident *resident,
    const gkl_shim_prefilter_cuda_candidates *candidates, int16_t *results,
    gkl_shim_prefilter_cuda_call *call) {
    return guarded([&] { return engine->compute(resident, *candidates, results, call); });
}

extern "C" void gkl_shim_prefilter_cuda_resident_close(gkl_shim_prefilter_cuda_resident *resident) {
    const FloatingPointMode mode;
    delete resident;
}

extern "C" gkl_shim_status gkl_shim_prefilter_cuda_measure(
    gkl_shim_prefilter_cuda *engine, const gkl_shim_prefilter_sequences *reads,
    const gkl_shim_prefilter_sequences *segments, int64_t pairs, int32_t repeats, double *seconds) {
    return guarded([&] { return engine->measure(*reads, *segments, pairs, repeats, seconds); });
}

extern "C" const char *gkl_shim_prefilter_cuda_next_loss(gkl_shim_prefilter_cuda *engine,
                                                         int32_t *number) {
    return engine->next_loss(number);
}

extern "C" int32_t gkl_shim_prefilter_cuda_uses(const gkl_shim_prefilter_cuda *engine,
                                                int32_t number) {
    return engine->uses(number);
}

extern "C" void gkl_shim_prefilter_cuda_close(gkl_shim_prefilter_cuda *engine) {
    const FloatingPointMode mode;
    delete engine;
}

// The time of the filter's kernels alone. Only builds for benchmarks have this file.
#include "gpu/measurements.h"

#include <vector>

#include "gkl_shim_measurements.h"
#include "prefilter/cuda/chunk.h"
#include "prefilter/cuda/engine.h"
#include "prefilter/cuda/pairs.h"

using namespace gkl_shim;
using namespace gkl_shim::prefilter;

namespace {

// A chunk whose kernels run again after it is launched.
class TimedChunk : public Chunk {
   public:
    using Chunk::Chunk;

    double median_seconds(int repeats) {
        return gpu::median_seconds(
            driver(), stream(), repeats, [] {}, [this] { filter(); });
    }
};

}  // namespace

extern "C" gkl_shim_status gkl_shim_prefilter_cuda_measure(
    gkl_shim_prefilter_cuda *engine, const gkl_shim_prefilter_sequences *reads,
    const gkl_shim_prefilter_sequences *segments, int64_t pairs, int32_t repeats, double *seconds) {
    gpu::Device &device = engine->devices[0];
    return guarded_on_device(device.number, [&] {
        std::vector<int16_t> results(size_t(pairs), 0);
        const CudaContext current(engine->driver, device.context);
        Pairs source(engine->driver, *reads, *segments, 0, pairs, engine->encode, engine->threads);
        TimedChunk chunk(&device, engine->hardware[0].kernels, engine->method, engine->threads);
        chunk.source = &source;
        chunk.last = pairs;
        chunk.results = results.data();
        const gkl_shim_status status = chunk.start();
        if (status == GKL_SHIM_OK) *seconds = chunk.median_seconds(repeats);
        return status;
    });
}

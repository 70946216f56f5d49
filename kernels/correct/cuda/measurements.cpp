// The time of the correcting kernel alone. Only builds for benchmarks have this file.
#include "gpu/measurements.h"

#include "correct/cuda/chunk.h"
#include "correct/cuda/engine.h"
#include "correct/handles.h"
#include "gkl_shim_measurements.h"

using namespace gkl_shim;
using namespace gkl_shim::correct;

namespace {

// A chunk whose kernel runs again after it is launched.
class TimedChunk : public DeviceChunk {
   public:
    using DeviceChunk::DeviceChunk;

    double median_seconds(int repeats) {
        // The results lie where the letters were. At the end they are fetched again.
        const auto send_again = [this] {
            write();
            send();
        };
        const double seconds =
            gpu::median_seconds(driver(), stream(), repeats, send_again, [this] { correct(); });
        write();
        launch();
        driver().wait_for_stream(stream());
        return seconds;
    }
};

// Corrects all reads in one chunk on the first device.
gkl_shim_status measure(Engine *engine, const CorrectCall &call, int repeats, double *seconds) {
    gpu::Device &device = engine->devices[0];
    return guarded_on_device(device.number, [&] {
        const CudaContext current(engine->driver, device.context);
        TimedChunk chunk(&device, engine);
        chunk.call = &call;
        chunk.threads = call.settings.threads;
        chunk.cut = cut_reads(call.reads, 0, call.count, INT64_MAX, call.spectrum.k());
        const gkl_shim_status status = chunk.start();
        if (status != GKL_SHIM_OK) return status;
        *seconds = chunk.median_seconds(repeats);
        chunk.collect();
        return GKL_SHIM_OK;
    });
}

}  // namespace

extern "C" gkl_shim_status gkl_shim_correct_cuda_measure(gkl_shim_correct_cuda *engine,
                                                         const gkl_shim_correct_options *options,
                                                         const gkl_shim_correct_spectrum *spectrum,
                                                         const gkl_shim_correct_batch *batch,
                                                         uint8_t *corrected, uint8_t *states,
                                                         int32_t repeats, double *seconds) {
    return correct_batch(options, spectrum, batch, corrected, states, nullptr, nullptr,
                         [&](const Settings &settings, const Spectrum &made, const Read *reads,
                             int64_t count, Outcome *outcomes) {
                             return measure(&engine->engine,
                                            {settings, made, reads, count, outcomes}, repeats,
                                            seconds);
                         });
}

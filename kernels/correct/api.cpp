// The part of the C ABI that corrects reads in memory: checks the arguments and calls the engine.
#include <memory>

#include "common/cpu.h"
#include "common/error.h"
#include "common/thread_pool.h"
#include "correct/batch.h"
#include "correct/cuda/engine.h"
#include "correct/handles.h"

namespace gkl_shim::correct {

// Reads whose results one task writes, and the approximate time of a read.
constexpr int64_t kReadsWritten = 4096, kResultNanoseconds = 3;

bool check_options(const gkl_shim_correct_options *options, Settings *settings,
                   gkl_shim_cuda_engine **engine) {
    const gkl_shim_correct_options defaults = {};
    if (!options) options = &defaults;
    *engine = options->engine;
    if (options->threads < 0) return fail("threads is %d, less than 0", options->threads);
    if (options->method != GKL_SHIM_CORRECT_SEARCH && options->method != GKL_SHIM_CORRECT_VOTING)
        return fail("method is %d, not 0 or 1", options->method);
    if (options->max_changes < 0)
        return fail("max_changes is %d, less than 0", options->max_changes);
    if (options->max_window_changes < 0)
        return fail("max_window_changes is %d, less than 0", options->max_window_changes);
    *settings = {allowed_threads(options->threads),
                 Method(options->method),
                 {options->max_changes, options->max_window_changes, options->all_or_nothing}};
    return true;
}

void correct_reads(gkl_shim_cuda_engine *engine, const Settings &settings, const Spectrum &spectrum,
                   const Read *reads, int64_t count, Outcome *outcomes) {
    if (engine)
        gpu::engine_of<CudaEngine>(engine).correct(settings, spectrum, reads, count, outcomes);
    else
        correct_on_cpu(settings, spectrum, reads, count, outcomes);
}

}  // namespace gkl_shim::correct

using namespace gkl_shim;
using namespace gkl_shim::correct;

extern "C" gkl_shim_status gkl_shim_correct_reads(const gkl_shim_correct_options *options,
                                                  const gkl_shim_correct_spectrum *spectrum,
                                                  const gkl_shim_correct_batch *batch,
                                                  uint8_t *corrected, uint8_t *states,
                                                  int32_t *begins, int32_t *ends) {
    Settings settings;
    gkl_shim_cuda_engine *engine;
    if (!check_options(options, &settings, &engine)) return GKL_SHIM_EINVAL;
    if (!spectrum) return invalid("spectrum is null");
    return guarded([&]() -> gkl_shim_status {
        CheckedReads reads;
        if (!reads.open(batch, corrected, settings.threads)) return GKL_SHIM_EINVAL;
        if (reads.count() == 0) return GKL_SHIM_OK;
        if (!states) return invalid("states is null");
        if (batch->offsets[batch->reads] > 0 && !corrected) return invalid("corrected is null");
        const Buffer<Outcome> outcomes(reads.count());
        correct_reads(engine, settings, *spectrum->spectrum, reads.get(), reads.count(),
                      outcomes.data());
        const int64_t count = reads.count(), nanoseconds = count * kResultNanoseconds;
        const auto write = [&](int64_t begin, int64_t end) {
            for (int64_t k = begin; k < end; k++) {
                const Outcome &outcome = outcomes[k];
                states[k] = uint8_t(outcome.state);
                if (begins) begins[k] = outcome.begin;
                if (ends) ends[k] = outcome.end;
            }
        };
        parallel_for_ranges(count, kReadsWritten, nanoseconds, settings.threads, write);
        return GKL_SHIM_OK;
    });
}

extern "C" void gkl_shim_correct_estimate(int64_t bases, int32_t threads,
                                          gkl_shim_call_estimate *call) {
    const FloatingPointMode mode;
    // The time to correct a base, on one CPU thread and on a device, and for a call of a device.
    *call = {bases, double(bases) * 10 / allowed_threads(threads), 1e6 + double(bases) * 0.5};
}

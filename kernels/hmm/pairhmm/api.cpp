// The PairHMM part of the C ABI: checks the arguments and calls the engine.
#include <atomic>
#include <chrono>
#include <string>

#include "common/cpu.h"
#include "common/error.h"
#include "common/floating_point_mode.h"
#include "common/per_thread.h"
#include "gkl_shim_internal.h"
#include "hmm/batch.h"
#include "hmm/letters.h"
#include "hmm/pairhmm/call_estimate.h"
#include "hmm/pairhmm/cpu/build.h"
#include "hmm/pairhmm/gkl_rounding.h"
#include "hmm/pairhmm/limits.h"
#include "hmm/pairhmm/on_cpu.h"
#include "pairhmm/cuda/engine/start.h"

struct gkl_shim_pairhmm {
    gkl_shim::pairhmm::CpuSettings settings;
    int32_t backend;
    gkl_shim::gpu::CallCosts costs{};
    std::atomic<int64_t> regions{0}, pairs{0}, cells{0}, computed_cells{0}, rescued_pairs{0},
        rescaled_pairs{0}, cuda_pairs{0}, nanoseconds{0};
};

using namespace gkl_shim;
using namespace gkl_shim::pairhmm;

extern "C" gkl_shim_status gkl_shim_pairhmm_open(const gkl_shim_pairhmm_options *options,
                                                 gkl_shim_pairhmm **handle) {
    const gkl_shim_pairhmm_options defaults = {};
    if (!options) options = &defaults;
    if (!handle) return invalid("handle is null");
    *handle = nullptr;
    if (options->threads < 0) return invalid("threads is %d, less than 0", options->threads);
    if (options->precision != GKL_SHIM_SINGLE && options->precision != GKL_SHIM_DOUBLE)
        return invalid("precision is %d, not GKL_SHIM_SINGLE or GKL_SHIM_DOUBLE",
                       options->precision);
    if (options->conventions != GKL_SHIM_STRICT && options->conventions != GKL_SHIM_AS_GKL)
        return invalid("conventions is %d, not GKL_SHIM_STRICT or GKL_SHIM_AS_GKL",
                       options->conventions);
    if (options->backend != GKL_SHIM_CPU && options->backend != GKL_SHIM_CUDA &&
        options->backend != GKL_SHIM_AUTO)
        return invalid("backend is %d, not GKL_SHIM_CPU, GKL_SHIM_CUDA or GKL_SHIM_AUTO",
                       options->backend);
    const CpuBuild *build = cpu_builds().find(options->build);
    if (!build) return GKL_SHIM_EUNAVAILABLE;
    return guarded([&] {
        start_cuda(options->backend);
        return opened(handle,
                      CpuSettings{build, allowed_threads(options->threads),
                                  options->precision == GKL_SHIM_DOUBLE,
                                  options->conventions == GKL_SHIM_AS_GKL},
                      options->backend);
    });
}

static gkl_shim_status compute(gkl_shim_pairhmm *handle, const gkl_shim_pairhmm_batch *batch,
                               double *log10_likelihoods, int64_t size) {
    const auto start = std::chrono::steady_clock::now();
    if (!handle) return invalid("handle is null");
    if (!batch) return invalid("batch is null");
    const gkl_shim_pairhmm_batch &b = *batch;
    Shape shape;
    if (!check_shape(b, &shape, kLimits)) return GKL_SHIM_EINVAL;
    const int64_t pairs = shape.pairs, cells = shape.cells;
    if (b.regions == 0) return GKL_SHIM_OK;
    if (size < pairs)
        return invalid("size is %lld, the batch has %lld pairs", (long long)size, (long long)pairs);
    if (pairs > 0 && !log10_likelihoods) return invalid("log10_likelihoods is null");
    const CpuSettings &settings = handle->settings;
    if (!check_arrays(b) || !check_letters(settings.as_gkl, b)) return GKL_SHIM_EINVAL;
    gkl_shim_pairhmm_stats done = {};
    const bool may_use_gpu = handle->backend != GKL_SHIM_CPU && cells > 0;
    const bool by_cost = may_use_gpu && handle->backend == GKL_SHIM_AUTO;
    gkl_shim_call_estimate call = {};
    // Whether the GPU is slow in double precision is learned.
    if (by_cost) call = estimate_call(b, cells, settings.double_precision, false, settings.threads);
    const bool on_gpu =
        may_use_gpu && cuda_wanted(handle->backend, call, &handle->costs) &&
        compute_on_cuda(b, settings.double_precision, settings.as_gkl, log10_likelihoods, &done);
    if (!on_gpu) {
        const CpuCounts counts = compute_on_cpu(settings, b, log10_likelihoods);
        done.computed_cells = counts.computed_cells;
        done.rescued_pairs = counts.rescued_pairs;
        done.rescaled_pairs = counts.rescaled_pairs;
        if (settings.as_gkl) round_as_gkl(settings.double_precision, pairs, log10_likelihoods);
    }
    handle->computed_cells += done.computed_cells;
    handle->rescued_pairs += done.rescued_pairs;
    handle->rescaled_pairs += done.rescaled_pairs;
    handle->cuda_pairs += done.cuda_pairs;
    handle->regions += b.regions;
    handle->pairs += pairs;
    handle->cells += cells;
    const int64_t nanoseconds = std::chrono::duration_cast<std::chrono::nanoseconds>(
                                    std::chrono::steady_clock::now() - start)
                                    .count();
    handle->nanoseconds += nanoseconds;
    if (by_cost) handle->costs.add(call, on_gpu, double(nanoseconds));
    return GKL_SHIM_OK;
}

extern "C" gkl_shim_status gkl_shim_pairhmm_compute(gkl_shim_pairhmm *handle,
                                                    const gkl_shim_pairhmm_batch *batch,
                                                    double *log10_likelihoods, int64_t size) {
    return guarded([&] { return compute(handle, batch, log10_likelihoods, size); });
}

extern "C" int64_t gkl_shim_pairhmm_pairs(const gkl_shim_pairhmm_batch *batch) {
    int64_t pairs = 0;
    const gkl_shim_status status = guarded([&] {
        pairs = count_pairs(*batch);
        return GKL_SHIM_OK;
    });
    return status == GKL_SHIM_OK ? pairs : -int64_t(status);
}

extern "C" gkl_shim_status gkl_shim_pairhmm_check(const gkl_shim_pairhmm_batch *batch) {
    if (!batch) return invalid("batch is null");
    return guarded([&] {
        Shape shape;
        return check_shape(*batch, &shape, kLimits) ? GKL_SHIM_OK : GKL_SHIM_EINVAL;
    });
}

static PerThread<std::string> state;

extern "C" const char *gkl_shim_pairhmm_cuda_state(void) {
    const gkl_shim_status status = guarded([] {
        *state = cuda_state();
        return GKL_SHIM_OK;
    });
    return status == GKL_SHIM_OK ? state->c_str() : gkl_shim_last_error();
}

extern "C" const char *gkl_shim_pairhmm_build(const gkl_shim_pairhmm *handle) {
    return handle ? handle->settings.build->name : "";
}

extern "C" gkl_shim_status gkl_shim_pairhmm_statistics(const gkl_shim_pairhmm *handle,
                                                       gkl_shim_pairhmm_stats *stats) {
    if (!handle) return invalid("handle is null");
    if (!stats) return invalid("stats is null");
    const FloatingPointMode mode;
    stats->regions = handle->regions;
    stats->pairs = handle->pairs;
    stats->cells = handle->cells;
    stats->computed_cells = handle->computed_cells;
    stats->rescued_pairs = handle->rescued_pairs;
    stats->rescaled_pairs = handle->rescaled_pairs;
    stats->cuda_pairs = handle->cuda_pairs;
    stats->seconds = double(handle->nanoseconds) * 1e-9;
    return GKL_SHIM_OK;
}

extern "C" void gkl_shim_pairhmm_close(gkl_shim_pairhmm *handle) { delete handle; }

extern "C" const char *gkl_shim_pairhmm_letters(void) {
    // An array, so that nothing is allocated.
    static const struct Accepted {
        Accepted() {
            char *to = text;
            for (int value = 1; value < 256; value++) {
                const uint8_t byte = uint8_t(value);
                if (find_refused(false, &byte, 1) < 0) *to++ = char(byte);
            }
        }
        char text[256] = "";
    } accepted;
    return accepted.text;
}

// The C ABI of PairHMM and PDHMM: checks the arguments, and calls an engine or the parser.
#include <chrono>
#include <string>

#include "common/cpu.h"
#include "common/error.h"
#include "common/per_thread.h"
#include "gkl_shim_internal.h"
#include "hmm/batch.h"
#include "hmm/cpu/build.h"
#include "hmm/cuda/engine/start.h"
#include "hmm/on_cpu.h"
#include "hmm/pairhmm/engine_choice.h"
#include "hmm/pairhmm/gkl_rounding.h"
#include "hmm/pdhmm/checks.h"
#include "hmm/pdhmm/model.h"
#include "hmm/region_parser.h"

namespace gkl_shim::hmm {

typedef std::chrono::steady_clock Clock;

// What the handles of both models have.
struct Handle {
    explicit Handle(const CpuSettings &chosen) : settings(chosen) {}

    // Counts a call. `done`: what an engine has counted. Returns how long the call took, in
    // nanoseconds.
    int64_t add(const gkl_shim_pairhmm_batch &batch, const Shape &shape,
                gkl_shim_pairhmm_stats done, Clock::time_point start) {
        const std::chrono::nanoseconds time = Clock::now() - start;
        done.regions = batch.regions;
        done.pairs = shape.pairs;
        done.cells = shape.cells;
        done.seconds = double(time.count()) * 1e-9;
        totals.add(done);
        return time.count();
    }

    const CpuSettings settings;
    Totals totals;
};

namespace {

bool check_threads(int32_t threads) {
    return threads >= 0 || fail("threads is %d, less than 0", threads);
}

bool check_conventions(int32_t conventions) {
    return conventions == GKL_SHIM_STRICT || conventions == GKL_SHIM_AS_GKL ||
           fail("conventions is %d, not GKL_SHIM_STRICT or GKL_SHIM_AS_GKL", conventions);
}

// Checks the arguments of a call, but for letters, qualities and flags, and finds the batch's
// shape.
bool check_call(const Handle *handle, const gkl_shim_pairhmm_batch *batch, const Limits &limits,
                const double *log10_likelihoods, int64_t size, Shape *shape) {
    if (!handle) return fail("handle is null");
    if (!batch) return fail("batch is null");
    if (!check_shape(*batch, shape, limits)) return false;
    if (batch->regions == 0) return true;
    if (size < shape->pairs)
        return fail("size is %lld, the batch has %lld pairs", (long long)size,
                    (long long)shape->pairs);
    return shape->pairs == 0 || log10_likelihoods || fail("log10_likelihoods is null");
}

gkl_shim_status check_shape_alone(const gkl_shim_pairhmm_batch *batch, const Limits &limits) {
    if (!batch) return invalid("batch is null");
    return guarded([&] {
        Shape shape;
        return check_shape(*batch, &shape, limits) ? GKL_SHIM_OK : GKL_SHIM_EINVAL;
    });
}

gkl_shim_status check_statistics(const Handle *handle, const void *stats) {
    if (!handle) return invalid("handle is null");
    return stats ? GKL_SHIM_OK : invalid("stats is null");
}

}  // namespace
}  // namespace gkl_shim::hmm

using namespace gkl_shim;
using namespace gkl_shim::hmm;

struct gkl_shim_pairhmm : Handle {
    gkl_shim_pairhmm(const CpuSettings &chosen, int32_t backend)
        : Handle(chosen), choice(backend) {}

    pairhmm::EngineChoice choice;
};

extern "C" gkl_shim_status gkl_shim_pairhmm_open(const gkl_shim_pairhmm_options *options,
                                                 gkl_shim_pairhmm **handle) {
    const gkl_shim_pairhmm_options defaults = {};
    if (!options) options = &defaults;
    if (!handle) return invalid("handle is null");
    *handle = nullptr;
    if (!check_threads(options->threads)) return GKL_SHIM_EINVAL;
    if (options->precision != GKL_SHIM_SINGLE && options->precision != GKL_SHIM_DOUBLE)
        return invalid("precision is %d, not GKL_SHIM_SINGLE or GKL_SHIM_DOUBLE",
                       options->precision);
    if (!check_conventions(options->conventions)) return GKL_SHIM_EINVAL;
    if (options->backend != GKL_SHIM_CPU && options->backend != GKL_SHIM_CUDA &&
        options->backend != GKL_SHIM_AUTO)
        return invalid("backend is %d, not GKL_SHIM_CPU, GKL_SHIM_CUDA or GKL_SHIM_AUTO",
                       options->backend);
    const CpuBuild *build = cpu_builds().find(options->build);
    if (!build) return GKL_SHIM_EUNAVAILABLE;
    return opened(
        handle,
        CpuSettings{build, allowed_threads(options->threads), options->precision == GKL_SHIM_DOUBLE,
                    options->conventions == GKL_SHIM_AS_GKL},
        options->backend);
}

static gkl_shim_status compute(gkl_shim_pairhmm *handle, const gkl_shim_pairhmm_batch *batch,
                               double *log10_likelihoods, int64_t size) {
    const Clock::time_point start = Clock::now();
    Shape shape;
    if (!check_call(handle, batch, kPairHmmLimits, log10_likelihoods, size, &shape))
        return GKL_SHIM_EINVAL;
    const gkl_shim_pairhmm_batch &b = *batch;
    if (b.regions == 0) return GKL_SHIM_OK;
    const CpuSettings &settings = handle->settings;
    if (!check_arrays(b) || !check_letters(settings.as_gkl, b)) return GKL_SHIM_EINVAL;
    gkl_shim_pairhmm_stats done = {};
    const pairhmm::EngineChoice::Call call = handle->choice.choose(b, shape.cells, settings);
    const bool on_gpu =
        call.to_gpu && pairhmm::compute_on_cuda(b, settings.double_precision, settings.as_gkl,
                                                log10_likelihoods, &done);
    if (!on_gpu) {
        done = compute_on_cpu(settings, b, log10_likelihoods);
        if (settings.as_gkl)
            pairhmm::round_as_gkl(settings.double_precision, shape.pairs, log10_likelihoods);
    }
    handle->choice.add(call, on_gpu, handle->add(b, shape, done, start));
    return GKL_SHIM_OK;
}

extern "C" gkl_shim_status gkl_shim_pairhmm_compute(gkl_shim_pairhmm *handle,
                                                    const gkl_shim_pairhmm_batch *batch,
                                                    double *log10_likelihoods, int64_t size) {
    return guarded([&] { return compute(handle, batch, log10_likelihoods, size); });
}

extern "C" int64_t gkl_shim_pairhmm_pairs(const gkl_shim_pairhmm_batch *batch) {
    int64_t pairs = 0;
    const gkl_shim_status status = guarded([&] { pairs = count_pairs(*batch); });
    return status == GKL_SHIM_OK ? pairs : -int64_t(status);
}

extern "C" gkl_shim_status gkl_shim_pairhmm_check(const gkl_shim_pairhmm_batch *batch) {
    return check_shape_alone(batch, kPairHmmLimits);
}

static PerThread<std::string> state;

extern "C" const char *gkl_shim_pairhmm_cuda_state(void) {
    const gkl_shim_status status = guarded([] { *state = pairhmm::cuda_state(); });
    return status == GKL_SHIM_OK ? state->c_str() : gkl_shim_last_error();
}

extern "C" const char *gkl_shim_pairhmm_build(const gkl_shim_pairhmm *handle) {
    return handle ? handle->settings.build->name : "";
}

extern "C" gkl_shim_status gkl_shim_pairhmm_statistics(const gkl_shim_pairhmm *handle,
                                                       gkl_shim_pairhmm_stats *stats) {
    const gkl_shim_status status = check_statistics(handle, stats);
    if (status == GKL_SHIM_OK) *stats = handle->totals.get();
    return status;
}

extern "C" void gkl_shim_pairhmm_close(gkl_shim_pairhmm *handle) { delete handle; }

extern "C" gkl_shim_status gkl_shim_pairhmm_parse(const uint8_t *text, int64_t size,
                                                  int64_t longest_line, int32_t threads,
                                                  int64_t *offsets, uint8_t *letters,
                                                  gkl_shim_pairhmm_text *out) {
    if (!out) return invalid("out is null");
    return parse_regions({kPairHmmLimits}, text, size, longest_line, threads, offsets, letters, out,
                         nullptr);
}

struct gkl_shim_pdhmm : Handle {
    using Handle::Handle;
};

extern "C" gkl_shim_status gkl_shim_pdhmm_open(const gkl_shim_pdhmm_options *options,
                                               gkl_shim_pdhmm **handle) {
    const gkl_shim_pdhmm_options defaults = {};
    if (!options) options = &defaults;
    if (!handle) return invalid("handle is null");
    *handle = nullptr;
    if (!check_threads(options->threads) || !check_conventions(options->conventions))
        return GKL_SHIM_EINVAL;
    const CpuBuild *build = cpu_builds().find(options->build);
    if (!build) return GKL_SHIM_EUNAVAILABLE;
    return guarded([&] {
        pdhmm::tables();
        return opened(handle, CpuSettings{build, allowed_threads(options->threads), true,
                                          options->conventions == GKL_SHIM_AS_GKL});
    });
}

extern "C" gkl_shim_status gkl_shim_pdhmm_compute(gkl_shim_pdhmm *handle,
                                                  const gkl_shim_pdhmm_batch *batch,
                                                  double *log10_likelihoods, int64_t size) {
    return guarded([&] {
        const Clock::time_point start = Clock::now();
        Shape shape;
        if (!check_call(handle, batch ? &batch->pairs : nullptr, kPdHmmLimits, log10_likelihoods,
                        size, &shape))
            return GKL_SHIM_EINVAL;
        if (batch->pairs.regions == 0) return GKL_SHIM_OK;
        if (!pdhmm::check_content(*batch, handle->settings.as_gkl)) return GKL_SHIM_EINVAL;
        handle->add(batch->pairs, shape,
                    compute_on_cpu(handle->settings, *batch, log10_likelihoods), start);
        return GKL_SHIM_OK;
    });
}

extern "C" gkl_shim_status gkl_shim_pdhmm_check(const gkl_shim_pdhmm_batch *batch) {
    return check_shape_alone(batch ? &batch->pairs : nullptr, kPdHmmLimits);
}

extern "C" const char *gkl_shim_pdhmm_build(const gkl_shim_pdhmm *handle) {
    return handle ? handle->settings.build->name : "";
}

extern "C" gkl_shim_status gkl_shim_pdhmm_statistics(const gkl_shim_pdhmm *handle,
                                                     gkl_shim_pdhmm_stats *stats) {
    const gkl_shim_status status = check_statistics(handle, stats);
    if (status != GKL_SHIM_OK) return status;
    const gkl_shim_pairhmm_stats totals = handle->totals.get();
    *stats = {totals.regions,        totals.pairs,         totals.cells,
              totals.computed_cells, totals.rescued_pairs, totals.seconds};
    return GKL_SHIM_OK;
}

extern "C" void gkl_shim_pdhmm_close(gkl_shim_pdhmm *handle) { delete handle; }

extern "C" gkl_shim_status gkl_shim_pdhmm_parse(const uint8_t *text, int64_t size,
                                                int64_t longest_line, int32_t threads,
                                                int64_t *offsets, uint8_t *letters,
                                                gkl_shim_pdhmm_text *out) {
    if (!out) return invalid("out is null");
    out->haplotype_flags = nullptr;
    return parse_regions({kPdHmmLimits, pdhmm::find_wrong_flags, pdhmm::kWrongFlags}, text, size,
                         longest_line, threads, offsets, letters, &out->text,
                         &out->haplotype_flags);
}

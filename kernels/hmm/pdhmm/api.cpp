// The PDHMM part of the C ABI: checks the arguments and calls the engine.
#include <atomic>
#include <chrono>

#include "common/cpu.h"
#include "common/error.h"
#include "gkl_shim.h"
#include "hmm/pdhmm/checks.h"
#include "hmm/pdhmm/cpu/engine.h"

struct gkl_shim_pdhmm {
    gkl_shim::pdhmm::CpuSettings settings;
    std::atomic<int64_t> regions{0}, pairs{0}, cells{0}, computed_cells{0}, rescued_pairs{0},
        nanoseconds{0};
};

namespace gkl_shim {
namespace pdhmm {
namespace {

// Checks everything but the shape.
bool check_content(const gkl_shim_pdhmm_batch &batch, bool as_gatk) {
    const gkl_shim_pairhmm_batch &b = batch.pairs;
    if (!hmm::check_arrays(b)) return false;
    const int64_t read_bases = b.read_offsets[b.region_reads[b.regions]];
    const int64_t haplotype_bases = b.haplotype_offsets[b.region_haplotypes[b.regions]];
    if (!batch.haplotype_flags && haplotype_bases > 0) return fail("haplotype_flags is null");
    const struct {
        const char *name;
        const uint8_t *quals;
    } tracks[] = {{"insertion_quals", b.insertion_quals},
                  {"deletion_quals", b.deletion_quals},
                  {"continuation_quals", b.continuation_quals}};
    for (const auto &track : tracks) {
        const int64_t at = find(track.quals, read_bases, [](uint8_t q) { return q >= 128; });
        if (!hmm::check_none(track.name, track.quals, b.read_offsets, at,
                             "gap qualities are less than 128"))
            return false;
    }
    if (as_gatk) return true;
    const int64_t at = find_wrong_flags(batch.haplotype_flags, haplotype_bases);
    return hmm::check_letters(false, b) && hmm::check_none("haplotype_flags", batch.haplotype_flags,
                                                           b.haplotype_offsets, at, kWrongFlags);
}

}  // namespace
}  // namespace pdhmm
}  // namespace gkl_shim

using namespace gkl_shim;
using namespace gkl_shim::pdhmm;

extern "C" gkl_shim_status gkl_shim_pdhmm_open(const gkl_shim_pdhmm_options *options,
                                               gkl_shim_pdhmm **handle) {
    const gkl_shim_pdhmm_options defaults = {};
    if (!options) options = &defaults;
    if (!handle) return invalid("handle is null");
    *handle = nullptr;
    if (options->threads < 0) return invalid("threads is %d, less than 0", options->threads);
    if (options->conventions != GKL_SHIM_STRICT && options->conventions != GKL_SHIM_AS_GKL)
        return invalid("conventions is %d, not GKL_SHIM_STRICT or GKL_SHIM_AS_GKL",
                       options->conventions);
    const CpuBuild *build = cpu_builds().find(options->build);
    if (!build) return GKL_SHIM_EUNAVAILABLE;
    return guarded([&] {
        tables();
        return opened(handle, CpuSettings{build, allowed_threads(options->threads),
                                          options->conventions == GKL_SHIM_AS_GKL});
    });
}

extern "C" gkl_shim_status gkl_shim_pdhmm_compute(gkl_shim_pdhmm *handle,
                                                  const gkl_shim_pdhmm_batch *batch,
                                                  double *log10_likelihoods, int64_t size) {
    const auto start = std::chrono::steady_clock::now();
    return guarded([&] {
        if (!handle) return invalid("handle is null");
        if (!batch) return invalid("batch is null");
        hmm::Shape shape;
        if (!hmm::check_shape(batch->pairs, &shape, pdhmm::kLimits)) return GKL_SHIM_EINVAL;
        const int64_t pairs = shape.pairs;
        if (batch->pairs.regions == 0) return GKL_SHIM_OK;
        if (size < pairs)
            return invalid("size is %lld, the batch has %lld pairs", (long long)size,
                           (long long)pairs);
        if (pairs > 0 && !log10_likelihoods) return invalid("log10_likelihoods is null");
        if (!check_content(*batch, handle->settings.as_gatk)) return GKL_SHIM_EINVAL;
        const CpuCounts counts = compute_on_cpu(handle->settings, *batch, log10_likelihoods);
        handle->regions += batch->pairs.regions;
        handle->pairs += pairs;
        handle->cells += shape.cells;
        handle->computed_cells += counts.computed_cells;
        handle->rescued_pairs += counts.rescued_pairs;
        handle->nanoseconds += std::chrono::duration_cast<std::chrono::nanoseconds>(
                                   std::chrono::steady_clock::now() - start)
                                   .count();
        return GKL_SHIM_OK;
    });
}

extern "C" gkl_shim_status gkl_shim_pdhmm_check(const gkl_shim_pdhmm_batch *batch) {
    if (!batch) return invalid("batch is null");
    return guarded([&] {
        hmm::Shape shape;
        return hmm::check_shape(batch->pairs, &shape, pdhmm::kLimits) ? GKL_SHIM_OK
                                                                      : GKL_SHIM_EINVAL;
    });
}

extern "C" const char *gkl_shim_pdhmm_build(const gkl_shim_pdhmm *handle) {
    return handle ? handle->settings.build->name : "";
}

extern "C" gkl_shim_status gkl_shim_pdhmm_statistics(const gkl_shim_pdhmm *handle,
                                                     gkl_shim_pdhmm_stats *stats) {
    if (!handle) return invalid("handle is null");
    if (!stats) return invalid("stats is null");
    const FloatingPointMode mode;
    stats->regions = handle->regions;
    stats->pairs = handle->pairs;
    stats->cells = handle->cells;
    stats->computed_cells = handle->computed_cells;
    stats->rescued_pairs = handle->rescued_pairs;
    stats->seconds = double(handle->nanoseconds) * 1e-9;
    return GKL_SHIM_OK;
}

extern "C" void gkl_shim_pdhmm_close(gkl_shim_pdhmm *handle) { delete handle; }

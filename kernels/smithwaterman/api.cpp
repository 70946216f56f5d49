// The Smith-Waterman part of the C ABI: checks the arguments and calls the engine.
#include "common/cpu.h"
#include "common/error.h"
#include "gkl_shim.h"
#include "gkl_shim_internal.h"
#include "smithwaterman/cpu/engine.h"

struct gkl_shim_smithwaterman {
    gkl_shim::smithwaterman::CpuSettings settings;
};

namespace gkl_shim::smithwaterman {
namespace {

// Checks the sequences' lengths. The total must leave room for the CIGARs' text in 63 bits.
bool check_sequences(const char *name, const int64_t *offsets, const uint8_t *letters,
                     int64_t pairs) {
    if (!check_offsets(name, offsets, pairs)) return false;
    if (!letters) return fail("%s: the letters are null", name);
    for (int64_t k = 0; k < pairs; k++) {
        const int64_t length = offsets[k + 1] - offsets[k];
        if (length == 0) return fail("%s: sequence %lld is empty", name, (long long)k);
        if (length > GKL_SHIM_SMITHWATERMAN_LONGEST)
            return fail("%s: sequence %lld has %lld letters, more than %d", name, (long long)k,
                        (long long)length, GKL_SHIM_SMITHWATERMAN_LONGEST);
    }
    if (offsets[pairs] > INT64_MAX / 8)
        return fail("%s: %lld letters are too many", name, (long long)offsets[pairs]);
    return true;
}

gkl_shim_status align(const gkl_shim_smithwaterman *handle, bool exactly,
                      const gkl_shim_smithwaterman_batch *batch,
                      const gkl_shim_smithwaterman_parameters *parameters, int64_t *offsets,
                      int64_t *cigar_offsets, char *cigars, int64_t size) {
    if (!handle) return invalid("handle is null");
    if (!batch) return invalid("batch is null");
    if (!parameters) return invalid("parameters is null");
    if (parameters->overhang < GKL_SHIM_SMITHWATERMAN_SOFTCLIP ||
        parameters->overhang > GKL_SHIM_SMITHWATERMAN_IGNORE)
        return invalid("overhang is %d, not 0 to 3", parameters->overhang);
    if (!check_count("pairs", batch->pairs)) return GKL_SHIM_EINVAL;
    if (!cigar_offsets) return invalid("cigar_offsets is null");
    if (batch->pairs == 0) {
        cigar_offsets[0] = 0;
        return GKL_SHIM_OK;
    }
    if (!offsets || !cigars) return invalid("%s is null", offsets ? "cigars" : "offsets");
    if (!check_sequences("references", batch->reference_offsets, batch->references, batch->pairs) ||
        !check_sequences("alternatives", batch->alternative_offsets, batch->alternatives,
                         batch->pairs))
        return GKL_SHIM_EINVAL;
    const int64_t room =
        2 * (batch->reference_offsets[batch->pairs] + batch->alternative_offsets[batch->pairs]);
    if (size < room)
        return invalid("cigars has room for %lld bytes; these sequences need %lld", (long long)size,
                       (long long)room);
    CpuSettings settings = handle->settings;
    settings.exact = exactly;
    return guarded(
        [&] { align_on_cpu(settings, *batch, *parameters, offsets, cigar_offsets, cigars); });
}

}  // namespace
}  // namespace gkl_shim::smithwaterman

using namespace gkl_shim;
using namespace gkl_shim::smithwaterman;

extern "C" gkl_shim_status gkl_shim_smithwaterman_open(
    const gkl_shim_smithwaterman_options *options, gkl_shim_smithwaterman **handle) {
    const gkl_shim_smithwaterman_options defaults = {};
    if (!options) options = &defaults;
    if (!handle) return invalid("handle is null");
    *handle = nullptr;
    if (options->threads < 0) return invalid("threads is %d, less than 0", options->threads);
    const CpuBuild *build = cpu_builds().find(options->build);
    if (!build) return GKL_SHIM_EUNAVAILABLE;
    return opened(handle, CpuSettings{build, allowed_threads(options->threads)});
}

extern "C" gkl_shim_status gkl_shim_smithwaterman_align(
    const gkl_shim_smithwaterman *handle, const gkl_shim_smithwaterman_batch *batch,
    const gkl_shim_smithwaterman_parameters *parameters, int64_t *offsets, int64_t *cigar_offsets,
    char *cigars, int64_t size) {
    return align(handle, false, batch, parameters, offsets, cigar_offsets, cigars, size);
}

extern "C" gkl_shim_status gkl_shim_smithwaterman_align_exactly(
    const gkl_shim_smithwaterman *handle, const gkl_shim_smithwaterman_batch *batch,
    const gkl_shim_smithwaterman_parameters *parameters, int64_t *offsets, int64_t *cigar_offsets,
    char *cigars, int64_t size) {
    return align(handle, true, batch, parameters, offsets, cigar_offsets, cigars, size);
}

extern "C" const char *gkl_shim_smithwaterman_build(const gkl_shim_smithwaterman *handle) {
    return handle ? handle->settings.build->name : "";
}

extern "C" void gkl_shim_smithwaterman_close(gkl_shim_smithwaterman *handle) { delete handle; }

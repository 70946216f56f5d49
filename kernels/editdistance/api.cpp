// The edit distance's part of the C ABI: checks the arguments and calls the engine.
#include "common/cpu.h"
#include "common/error.h"
#include "editdistance/cpu/engine.h"
#include "editdistance/model.h"
#include "gkl_shim.h"

struct gkl_shim_editdistance {
    const gkl_shim::editdistance::CpuBuild *build;
    int threads;
};

using namespace gkl_shim;
using namespace gkl_shim::editdistance;

static bool check_sequences(const char *name, const int64_t *offsets, const uint8_t *letters,
                            int64_t pairs) {
    if (!offsets) return fail("%s_offsets is null", name);
    if (offsets[0] != 0)
        return fail("%s_offsets starts at %lld, not 0", name, (long long)offsets[0]);
    for (int64_t k = 0; k < pairs; k++) {
        int64_t length;
        if (__builtin_sub_overflow(offsets[k + 1], offsets[k], &length) || length < 0 ||
            length > kLongest)
            return fail("%s: sequence %lld has not 0 to %d letters", name, (long long)k, kLongest);
    }
    return letters || offsets[pairs] == 0 || fail("%s is null", name);
}

extern "C" gkl_shim_status gkl_shim_editdistance_open(const gkl_shim_editdistance_options *options,
                                                      gkl_shim_editdistance **handle) {
    const gkl_shim_editdistance_options defaults = {};
    if (!options) options = &defaults;
    if (!handle) return invalid("handle is null");
    *handle = nullptr;
    if (options->threads < 0) return invalid("threads is %d, less than 0", options->threads);
    const CpuBuild *build = cpu_builds().find(options->build);
    if (!build) return GKL_SHIM_EUNAVAILABLE;
    return opened(handle, build, allowed_threads(options->threads));
}

extern "C" gkl_shim_status gkl_shim_editdistance_compute(
    const gkl_shim_editdistance *handle, int64_t pairs, const int64_t *first_offsets,
    const uint8_t *first, const int64_t *second_offsets, const uint8_t *second,
    int32_t *distances) {
    if (!handle) return invalid("handle is null");
    if (pairs < 0) return invalid("pairs is %lld, less than 0", (long long)pairs);
    if (pairs == 0) return GKL_SHIM_OK;
    if (!distances) return invalid("distances is null");
    if (!check_sequences("first", first_offsets, first, pairs) ||
        !check_sequences("second", second_offsets, second, pairs))
        return GKL_SHIM_EINVAL;
    return guarded([&] {
        compute_on_cpu(*handle->build, handle->threads, pairs, {first_offsets, first},
                       {second_offsets, second}, distances);
        return GKL_SHIM_OK;
    });
}

extern "C" const char *gkl_shim_editdistance_build(const gkl_shim_editdistance *handle) {
    return handle->build->name;
}

extern "C" void gkl_shim_editdistance_close(gkl_shim_editdistance *handle) { delete handle; }

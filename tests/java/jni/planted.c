/* Preloaded in front of the library, whose name is in GKL_SHIM_LIBRARY: it changes results before
 * Java sees them, as an engine that computes wrongly would, or makes the second computation of
 * GKL_SHIM_VERIFY fail. PLANT is a number to add to a call's last result, or "fail".
 *
 * The self-tests' results stay right, so that the engines are used. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gkl_shim.h"
#include "gkl_shim_internal.h"

enum { SELF_TEST_PAIRS = 6, SELF_TEST_LETTERS = 71 };

static void *of_library(const char *name) {
    void *library = dlopen(getenv("GKL_SHIM_LIBRARY"), RTLD_NOW | RTLD_NOLOAD);
    if (library == NULL) abort();
    return dlsym(library, name);
}

static int fails(void) { return strcmp(getenv("PLANT"), "fail") == 0; }

static void change(double *values, int64_t pairs) {
    const double planted = strtod(getenv("PLANT"), NULL);
    if (pairs > SELF_TEST_PAIRS)
        values[pairs - 1] =
            planted == 0 ? nextafter(values[pairs - 1], 0) : values[pairs - 1] + planted;
}

static int64_t pairs_of(const gkl_shim_pairhmm_batch *batch) {
    return batch->region_reads[1] * batch->region_haplotypes[1];
}

gkl_shim_status gkl_shim_pairhmm_compute(gkl_shim_pairhmm *handle,
                                         const gkl_shim_pairhmm_batch *batch, double *values,
                                         int64_t size) {
    const char *(*build)(const gkl_shim_pairhmm *) = of_library("gkl_shim_pairhmm_build");
    gkl_shim_status (*compute)(gkl_shim_pairhmm *, const gkl_shim_pairhmm_batch *, double *,
                               int64_t) = of_library("gkl_shim_pairhmm_compute");
    const int verifies = strcmp(build(handle), "portable") == 0;
    if (verifies && fails()) size = 0;
    const gkl_shim_status status = compute(handle, batch, values, size);
    if (status == GKL_SHIM_OK && !verifies) change(values, pairs_of(batch));
    return status;
}

gkl_shim_status gkl_shim_pdhmm_compute(gkl_shim_pdhmm *handle, const gkl_shim_pdhmm_batch *batch,
                                       double *values, int64_t size) {
    const char *(*build)(const gkl_shim_pdhmm *) = of_library("gkl_shim_pdhmm_build");
    gkl_shim_status (*compute)(gkl_shim_pdhmm *, const gkl_shim_pdhmm_batch *, double *, int64_t) =
        of_library("gkl_shim_pdhmm_compute");
    const int verifies = strcmp(build(handle), "portable") == 0;
    if (verifies && fails()) size = 0;
    const gkl_shim_status status = compute(handle, batch, values, size);
    if (status == GKL_SHIM_OK && !verifies) change(values, pairs_of(&batch->pairs));
    return status;
}

gkl_shim_status gkl_shim_smithwaterman_align(const gkl_shim_smithwaterman *handle,
                                             const gkl_shim_smithwaterman_batch *batch,
                                             const gkl_shim_smithwaterman_parameters *parameters,
                                             int64_t *offsets, int64_t *cigar_offsets, char *cigars,
                                             int64_t size) {
    gkl_shim_status (*align)(const gkl_shim_smithwaterman *, const gkl_shim_smithwaterman_batch *,
                             const gkl_shim_smithwaterman_parameters *, int64_t *, int64_t *,
                             char *, int64_t) = of_library("gkl_shim_smithwaterman_align");
    const gkl_shim_status status =
        align(handle, batch, parameters, offsets, cigar_offsets, cigars, size);
    if (status == GKL_SHIM_OK && !fails() && batch->reference_offsets[1] != SELF_TEST_LETTERS)
        offsets[0]++;
    return status;
}

gkl_shim_status gkl_shim_smithwaterman_align_exactly(
    const gkl_shim_smithwaterman *handle, const gkl_shim_smithwaterman_batch *batch,
    const gkl_shim_smithwaterman_parameters *parameters, int64_t *offsets, int64_t *cigar_offsets,
    char *cigars, int64_t size) {
    gkl_shim_status (*align)(const gkl_shim_smithwaterman *, const gkl_shim_smithwaterman_batch *,
                             const gkl_shim_smithwaterman_parameters *, int64_t *, int64_t *,
                             char *, int64_t) = of_library("gkl_shim_smithwaterman_align_exactly");
    return align(handle, batch, parameters, offsets, cigar_offsets, cigars, fails() ? 0 : size);
}

/*
 * gkl_shim_measurements.h - functions that time parts of calls, for benchmarks/ alone.
 *
 * A library has them if it is built with the option GKL_SHIM_MEASUREMENTS. They are defined in the
 * files measurements.cpp. The conventions of gkl_shim_internal.h apply.
 */
#ifndef GKL_SHIM_MEASUREMENTS_H
#define GKL_SHIM_MEASUREMENTS_H

#include "gkl_shim_internal.h"

#ifdef __cplusplus
extern "C" {
#endif

/* cffi: begin (cmake/abi.py reads the declarations between the two marks) */

/* ---- PairHMM on CUDA devices ---------------------------------------------------------------- */

/* Where the time of a batch goes, in seconds, summed over its chunks. */
typedef struct {
    int64_t chunks, cells, computed_cells;
    int64_t block_bytes;                           /* copied to the device */
    double plan, write, transfer, kernel, collect; /* kernels write results to host memory */
} gkl_shim_pairhmm_cuda_stages;

/* Time each stage of a batch's first pass on the engine's first device, one chunk after another.
 * Each chunk is as large as possible and planned by all threads. The times are medians of `repeats`
 * runs. Nothing else may use the engine meanwhile.
 *
 * GKL_SHIM_EUNAVAILABLE: the device fails. */
GKL_SHIM_API gkl_shim_status gkl_shim_pairhmm_cuda_measure(gkl_shim_pairhmm_cuda *engine,
                                                           const gkl_shim_pairhmm_batch *batch,
                                                           double *log10_likelihoods,
                                                           int32_t repeats,
                                                           gkl_shim_pairhmm_cuda_stages *stages);

/* ---- The prefilter on CUDA devices ---------------------------------------------------------- */

/* Time the filter's kernels alone, for all pairs at once on the first device: the median of
 * `repeats` launches. Nothing else may use the engine meanwhile.
 *
 * GKL_SHIM_EUNAVAILABLE: the device fails. */
GKL_SHIM_API gkl_shim_status gkl_shim_prefilter_cuda_measure(
    gkl_shim_prefilter_cuda *engine, const gkl_shim_prefilter_sequences *reads,
    const gkl_shim_prefilter_sequences *segments, int64_t pairs, int32_t repeats, double *seconds);

/* cffi: end */

#ifdef __cplusplus
}
#endif

#endif /* GKL_SHIM_MEASUREMENTS_H */

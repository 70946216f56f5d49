/*
 * gkl_shim_internal.h - functions of the library for this project's own Python package and tests.
 *
 * Not a stable interface, and not installed. The conventions of gkl_shim.h hold here too.
 */
#ifndef GKL_SHIM_INTERNAL_H
#define GKL_SHIM_INTERNAL_H

#include "gkl_shim.h"

#ifdef __cplusplus
extern "C" {
#endif

/* cffi: begin (cmake/abi.py reads the declarations between the two marks) */

/* ---- Arrays and text ------------------------------------------------------------------------ */

/* Copy arrays of sizes[k] bytes each on several threads: one thread is slower than the bus of a
 * GPU. */
GKL_SHIM_API gkl_shim_status gkl_shim_copy(int32_t arrays, uint8_t *const *targets,
                                           const uint8_t *const *sources, const int64_t *sizes,
                                           int32_t threads);

/* Count the complete lines of a text and their bytes. */
GKL_SHIM_API gkl_shim_status gkl_shim_count_lines(const uint8_t *text, int64_t size,
                                                  int32_t threads, int64_t *lines, int64_t *bytes);

/* ---- NumPy arrays --------------------------------------------------------------------------- */

/* Functions of NumPy's and Python's C interfaces, by their names there, and NumPy's array type.
 * Objects are pointers without a type. */
typedef struct {
    void *PyArray_Type;
    void *(*PyArray_NewFromDescr)(void *type, void *dtype, int dimensions, const intptr_t *shape,
                                  const intptr_t *strides, void *data, int flags, void *object);
    int (*PyArray_SetBaseObject)(void *array, void *base);
    int (*PyList_SetItem)(void *list, intptr_t index, void *item);
    void (*Py_IncRef)(void *object);
    void (*Py_DecRef)(void *object);
} gkl_shim_numpy;

/* Put an array for each region into the list `views`, of shape (reads, haplotypes): views of
 * `array`, whose values begin at `data` and follow one another region by region. The caller holds
 * the interpreter lock. Returns how many bytes they see, or -1 with Python's error set. */
GKL_SHIM_API int64_t gkl_shim_array_views(const gkl_shim_numpy *numpy, void *array, void *data,
                                          void *dtype, int64_t item_bytes,
                                          const int64_t *region_reads,
                                          const int64_t *region_haplotypes, int64_t regions,
                                          void *views);

/* ---- PairHMM -------------------------------------------------------------------------------- */

/* As gkl_shim_pairhmm_compute(), but only for the pairs whose value is NaN, and in double precision
 * from the start: the pairs that the CUDA kernels could not represent. */
GKL_SHIM_API gkl_shim_status gkl_shim_pairhmm_complete(gkl_shim_pairhmm *handle,
                                                       const gkl_shim_pairhmm_batch *batch,
                                                       double *log10_likelihoods, int64_t size);

/* ---- PairHMM on CUDA devices: the planner ---------------------------------------------------
 *
 * For the engine below and for tests. A batch is cut into chunks. Each is
 * planned, written as one block of memory that goes to a device as it stands, computed there by the
 * kernels in cuda/kernels.cu, and its results are put where they belong. */

enum {
    GKL_SHIM_CUDA_WIDTHS = 5,
    GKL_SHIM_CUDA_KERNELS = 6, /* one a width, then the striped one for reads too long for a warp */

    /* Of the striped kernel: rows a lane; bytes of shared memory beside what all kernels need; what
     * each byte of the seams between its warps is set to before it starts. */
    GKL_SHIM_CUDA_STRIPED_ROWS = 8,
    GKL_SHIM_CUDA_STRIPED_BYTES = 256,
    GKL_SHIM_CUDA_SEAM_FILL = 128
};

typedef struct {
    int32_t precision;       /* GKL_SHIM_SINGLE or GKL_SHIM_DOUBLE */
    int32_t conventions;     /* GKL_SHIM_STRICT or GKL_SHIM_AS_GKL */
    int32_t threads;         /* for planning, as in gkl_shim_pairhmm_options */
    int32_t multiprocessors; /* of the device */
    int32_t rows_a_lane;   /* 0: by cost; else every tile has the kernel of so many, where it holds
                              the region's longest read */
    int64_t cells;         /* about so many of the batch's cells in a chunk, */
    int64_t scratch_bytes; /* and about so much scratch memory at most, */
    int64_t planning;      /* and no more regions than one thread plans in about so many
                              nanoseconds; 0: any number */
} gkl_shim_cuda_options;

typedef struct {
    /* In: where in the batch to begin, 0 at first. Out: where the next chunk begins. A region's
     * reads may be divided among chunks. */
    int64_t region, read; /* a read of that region */
    int64_t pair;         /* the index of the region's first result */

    int32_t threads; /* in: that plan, write and finish it; 0: as many as the options say */
    int32_t chunks_in_flight; /* in: other chunks that are in flight on the device */

    int64_t regions, pairs, cells; /* of the batch, in this chunk */

    int64_t computed_cells;
    int64_t block_bytes, scratch_bytes;
    int64_t seams, seam_bytes; /* where in the scratch */
    int64_t results;           /* doubles that the kernels write */
    int32_t passes; /* warps a tile, for every kernel: where they are several they make one pass
                       each, and the join is a launch of its own, */
    int32_t joins;  /* with so many warps a tile */
    int32_t striped_passes, striped_joins; /* the same of the striped kernel, always apart */
    /* The tiles of the kernels with the fewest rows a lane, and so on; then the stripes. */
    int32_t first_tile[GKL_SHIM_CUDA_KERNELS], tiles[GKL_SHIM_CUDA_KERNELS];
} gkl_shim_cuda_chunk;

typedef struct gkl_shim_cuda_planner gkl_shim_cuda_planner;

/* A planner holds one chunk at a time. Unlike other handles it is used by one thread at once. */
GKL_SHIM_API gkl_shim_status gkl_shim_cuda_open(const gkl_shim_cuda_options *options,
                                                gkl_shim_cuda_planner **planner);

/* The rows a lane of each kernel, fewest first; 0 behind the last. */
GKL_SHIM_API void gkl_shim_cuda_widths(int32_t precision, int32_t widths[GKL_SHIM_CUDA_WIDTHS]);

/* The kernels' tables, which every chunk shares: their size in bytes, or minus a gkl_shim_status.
 * They are written to `tables` where that is not NULL. */
GKL_SHIM_API int64_t gkl_shim_cuda_tables(int32_t precision, int32_t conventions, void *tables);

/* Take the next chunk of a batch: moves the place in `chunk` on, nothing else. Returns 1; 0 at the
 * batch's end; minus a gkl_shim_status where it fails. The batch has been checked, and stays as it
 * is until gkl_shim_cuda_finish(). In single precision every pair of a read of up to 512 bases is
 * computed; in double, those whose value in `values`, the batch's results, is NaN. A read of more
 * than 256 bases is computed only where a chunk's scratch holds it: its rows for each haplotype,
 * and 16 bytes for each of their letters and 256 of its rows. A NaN with all bits set says that
 * nothing has tried the pair before: only reads with such pairs add to the chunk's computed_cells.
 */
GKL_SHIM_API int32_t gkl_shim_cuda_take(gkl_shim_cuda_planner *planner,
                                        const gkl_shim_pairhmm_batch *batch, const double *values,
                                        gkl_shim_cuda_chunk *chunk);

/* Plan the chunk that was taken, and fill in the rest of `chunk`. */
GKL_SHIM_API gkl_shim_status gkl_shim_cuda_plan(gkl_shim_cuda_planner *planner,
                                                gkl_shim_cuda_chunk *chunk);

/* Write the planned chunk to a block of `block_bytes`. */
GKL_SHIM_API gkl_shim_status gkl_shim_cuda_write(gkl_shim_cuda_planner *planner, void *block);

/* Put the kernels' results where they belong in `values`, those not to be trusted as NaN, and those
 * that were not computed as NaN with all bits set; returns how many pairs of the chunk's reads are
 * NaN there now, or minus a gkl_shim_status. */
GKL_SHIM_API int64_t gkl_shim_cuda_finish(gkl_shim_cuda_planner *planner, const double *results,
                                          double *values);

GKL_SHIM_API void gkl_shim_cuda_close(gkl_shim_cuda_planner *planner);

/* ---- PairHMM on CUDA devices: the engine ----------------------------------------------------
 *
 * For the Python package, which chooses the devices, loads the kernels and hands both over; not a
 * stable interface. From then on no Python is needed: any thread computes, many at once. */

/* The CUDA driver's functions that the engine calls, by their names there. Contexts, streams,
 * events and kernels are the driver's handles; each function returns 0 or an error's number. */
typedef struct {
    int32_t (*cuCtxPushCurrent_v2)(void *context);
    int32_t (*cuCtxPopCurrent_v2)(void **context);
    int32_t (*cuMemAlloc_v2)(uint64_t *address, size_t size);
    int32_t (*cuMemFree_v2)(uint64_t address);
    int32_t (*cuMemHostAlloc)(void **memory, size_t size, uint32_t flags);
    int32_t (*cuMemFreeHost)(void *memory);
    int32_t (*cuStreamCreate)(void **stream, uint32_t flags);
    int32_t (*cuStreamDestroy_v2)(void *stream);
    int32_t (*cuStreamQuery)(void *stream);
    int32_t (*cuStreamSynchronize)(void *stream);
    int32_t (*cuEventCreate)(void **event, uint32_t flags);
    int32_t (*cuEventDestroy_v2)(void *event);
    int32_t (*cuEventRecord)(void *event, void *stream);
    int32_t (*cuEventSynchronize)(void *event);
    int32_t (*cuEventElapsedTime)(float *milliseconds, void *begin, void *end);
    int32_t (*cuMemcpyHtoDAsync_v2)(uint64_t to, const void *from, size_t size, void *stream);
    int32_t (*cuMemsetD8Async)(uint64_t to, uint8_t value, size_t size, void *stream);
    int32_t (*cuLaunchKernel)(void *kernel, uint32_t grid_x, uint32_t grid_y, uint32_t grid_z,
                              uint32_t block_x, uint32_t block_y, uint32_t block_z,
                              uint32_t shared_bytes, void *stream, void **parameters, void **extra);
    int32_t (*cuGetErrorName)(int32_t error, const char **name);
    int32_t (*cuGetErrorString)(int32_t error, const char **text);
} gkl_shim_cuda_driver;

typedef struct {
    void *functions[GKL_SHIM_CUDA_KERNELS]; /* NULL where a precision has none */
    int32_t shared_bytes[GKL_SHIM_CUDA_KERNELS];
    uint64_t tables; /* gkl_shim_cuda_tables(), in the device's memory */
} gkl_shim_cuda_kernels;

typedef struct {
    int32_t number; /* for messages */
    void *context;
    int32_t multiprocessors;
    int32_t slow_double;   /* 1: what single precision does not hold is computed by the CPU, unless
                              another device has this 0 */
    int64_t scratch_bytes; /* of a chunk */
    gkl_shim_cuda_kernels kernels[2]; /* of GKL_SHIM_SINGLE and GKL_SHIM_DOUBLE */
} gkl_shim_cuda_device;

typedef struct {
    int32_t precision;      /* GKL_SHIM_SINGLE or GKL_SHIM_DOUBLE */
    int32_t conventions;    /* GKL_SHIM_STRICT or GKL_SHIM_AS_GKL */
    int32_t threads;        /* for planning, and for what no device computes */
    int32_t rows_a_lane;    /* as in gkl_shim_cuda_options */
    int32_t slots;          /* chunks in flight on a device at most, of all calls together */
    int32_t streams;        /* the same of one call; 0: as suits the threads */
    int32_t launch_threads; /* of one call, for each device: they plan and launch chunks; 0: as
                               suits the threads */
    int64_t cells[2];       /* of a chunk, as in gkl_shim_cuda_options; of each precision */
    int64_t planning;       /* of a chunk, likewise */
    int32_t device_count;
    const gkl_shim_cuda_device *devices;
    const gkl_shim_cuda_driver *driver;
} gkl_shim_cuda_engine_options;

typedef struct gkl_shim_cuda_engine gkl_shim_cuda_engine;

/* Open an engine; the kernels, tables and contexts must outlive it. On failure *engine is NULL. */
GKL_SHIM_API gkl_shim_status gkl_shim_cuda_engine_open(const gkl_shim_cuda_engine_options *options,
                                                       gkl_shim_cuda_engine **engine);

/* As gkl_shim_pairhmm_compute(), for batches whose results follow one another. The CPU engine
 * computes what devices leave: because they fail, because they are slow in double precision, or
 * because a likelihood leaves double precision's range. The results are the same. `done`, unless
 * NULL, receives what was done for this call if it succeeds.
 * GKL_SHIM_EINVAL: a batch that gkl_shim_pairhmm_check() refuses, or a haplotype's letter that the
 * conventions refuse. */
GKL_SHIM_API gkl_shim_status gkl_shim_cuda_engine_compute(gkl_shim_cuda_engine *engine,
                                                          const gkl_shim_pairhmm_batch *batches,
                                                          int64_t count, double *log10_likelihoods,
                                                          gkl_shim_pairhmm_stats *done);

/* Why a device that failed is no longer used, for the first caller who asks after that: its number,
 * and a line that lasts as long as the engine. NULL where there is no news. */
GKL_SHIM_API const char *gkl_shim_cuda_engine_loss(gkl_shim_cuda_engine *engine, int32_t *number);

/* Whether the device of that number is in use; of -1, whether any is. */
GKL_SHIM_API int32_t gkl_shim_cuda_engine_uses(const gkl_shim_cuda_engine *engine, int32_t number);

/* An engine as another copy of this library reaches it, which may be of another build: the
 * functions are those of the copy that made it. */
typedef struct {
    const char *version; /* of that copy */
    gkl_shim_cuda_engine *engine;
    gkl_shim_status (*compute)(gkl_shim_cuda_engine *engine, const gkl_shim_pairhmm_batch *batches,
                               int64_t count, double *log10_likelihoods,
                               gkl_shim_pairhmm_stats *done);
    const char *(*loss)(gkl_shim_cuda_engine *engine, int32_t *number);
    int32_t (*uses)(const gkl_shim_cuda_engine *engine, int32_t number);
    const char *(*last_error)(void);
} gkl_shim_cuda_vtable;

GKL_SHIM_API void gkl_shim_cuda_engine_vtable(gkl_shim_cuda_engine *engine,
                                              gkl_shim_cuda_vtable *vtable);

/* What the engine has done since it was opened: the sum over its calls. */
GKL_SHIM_API void gkl_shim_cuda_engine_statistics(const gkl_shim_cuda_engine *engine,
                                                  gkl_shim_pairhmm_stats *stats);

/* Where the time of a batch goes, in seconds: the sum over its chunks. */
typedef struct {
    int64_t chunks, cells, computed_cells;
    int64_t block_bytes;                           /* that travel to the device */
    double plan, write, transfer, kernel, collect; /* kernels write results to the host's memory */
} gkl_shim_cuda_stages;

/* Time each part of a batch's first pass over the engine's first device, chunk after chunk, each
 * as large as it may be and planned by all threads: medians of so many repetitions. Nobody else may
 * use the engine meanwhile.
 * GKL_SHIM_EUNAVAILABLE: the device fails. */
GKL_SHIM_API gkl_shim_status gkl_shim_cuda_engine_measure(gkl_shim_cuda_engine *engine,
                                                          const gkl_shim_pairhmm_batch *batch,
                                                          double *log10_likelihoods,
                                                          int32_t repeats,
                                                          gkl_shim_cuda_stages *stages);

/* Close an engine; NULL is fine. No call may be under way. */
GKL_SHIM_API void gkl_shim_cuda_engine_close(gkl_shim_cuda_engine *engine);

/* cffi: end */

#ifdef __cplusplus
}
#endif

#endif /* GKL_SHIM_INTERNAL_H */

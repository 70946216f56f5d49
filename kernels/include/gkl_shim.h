/*
 * gkl_shim.h - the C interface of gkl-shim. This header is the manual.
 *
 * Conventions, for every function here:
 *   - Functions that can fail return a gkl_shim_status; GKL_SHIM_OK is 0. After any other value
 *     gkl_shim_last_error() says, for the calling thread, what was wrong and with which index.
 *   - Sequences are ragged arrays: one contiguous buffer of bytes for all of them, and an array of
 *     int64 offsets with one entry more than there are sequences; sequence k is
 *     [offsets[k], offsets[k+1]). Offsets start at 0 and never decrease.
 *   - Nothing passed in is kept after the call or written to, except what is named as an output.
 *   - Every function may be called from any thread. One handle may be used by several threads at
 *     once; only gkl_shim_pairhmm_close() must not overlap another use of its handle.
 *   - No function throws, exits or aborts. Running out of memory is GKL_SHIM_ENOMEM; a failure that
 *     no other status stands for is GKL_SHIM_EINTERNAL.
 *   - The floating-point mode of the calling thread (rounding, subnormal numbers, traps) has no
 *     influence on results. After a call the mode and the exception flags are as before it.
 *
 * A complete program:
 *
 *     #include "gkl_shim.h"
 *     #include <stdio.h>
 *     int main(void) {
 *         // one region: two reads, ACGT and ACG, against the haplotypes ACGTAC and ACCTAC
 *         const uint8_t bases[] = "ACGTACG", quals[] = {30, 30, 30, 30, 30, 30, 20};
 *         const uint8_t gap_open[] = {45, 45, 45, 45, 45, 45, 45};
 *         const uint8_t gap_continue[] = {10, 10, 10, 10, 10, 10, 10};
 *         const uint8_t haplotypes[] = "ACGTACACCTAC";
 *         const int64_t region_reads[] = {0, 2}, region_haplotypes[] = {0, 2};
 *         const int64_t read_offsets[] = {0, 4, 7}, haplotype_offsets[] = {0, 6, 12};
 *         gkl_shim_pairhmm_batch batch = {1, region_reads, region_haplotypes, read_offsets,
 *             bases, quals, gap_open, gap_open, gap_continue, haplotype_offsets, haplotypes};
 *         double log10_likelihoods[4];
 *         gkl_shim_pairhmm *pairhmm = NULL;
 *         if (gkl_shim_pairhmm_open(NULL, &pairhmm) != GKL_SHIM_OK ||
 *             gkl_shim_pairhmm_compute(pairhmm, &batch, log10_likelihoods, 4) != GKL_SHIM_OK) {
 *             fprintf(stderr, "%s\n", gkl_shim_last_error());
 *             return 1;
 *         }
 *         for (int read = 0; read < 2; read++)
 *             printf("%.6f %.6f\n", log10_likelihoods[2 * read], log10_likelihoods[2 * read + 1]);
 *         gkl_shim_pairhmm_close(pairhmm);
 *         return 0;
 *     }
 */
#ifndef GKL_SHIM_H
#define GKL_SHIM_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define GKL_SHIM_API __attribute__((visibility("default")))
#else
#define GKL_SHIM_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* cffi: begin (the lines between the two marks are read by the Python binding as they stand) */

typedef enum {
    GKL_SHIM_OK = 0,
    GKL_SHIM_EINVAL = 1,       /* an argument is wrong; the message names it and its index */
    GKL_SHIM_ENOMEM = 2,       /* out of memory; the handle stays usable */
    GKL_SHIM_EUNAVAILABLE = 3, /* a build that this CPU cannot run or this library lacks */
    GKL_SHIM_EINTERNAL = 4     /* anything else; the message says what, the handle stays usable */
} gkl_shim_status;

/* The library's version, "major.minor.patch". */
GKL_SHIM_API const char *gkl_shim_version(void);

/* The calling thread's last error, or "" where none has happened; valid until the thread's next
 * failing call. Never NULL. */
GKL_SHIM_API const char *gkl_shim_last_error(void);

/* How many CPUs this process may use: the least of the machine's, the affinity mask's and the
 * control group's quota (rounded up). At least 1. */
GKL_SHIM_API int32_t gkl_shim_cpu_count(void);

/* The engine's builds in this library, separated by spaces, the best for this CPU first, and only
 * those that this CPU can run: for example "avx512 avx2 portable". */
GKL_SHIM_API const char *gkl_shim_builds(void);

/* ---- PairHMM: log10 likelihood of a read given a haplotype ---------------------------------- */

enum {
    /* Single precision; a pair that leaves its range, and a read of over 512 bases, is computed in
     * double. Within 1e-5 of the exact log10 likelihood. What GATK asks for by default. */
    GKL_SHIM_SINGLE = 0,
    /* Double precision throughout. Within 1e-8. */
    GKL_SHIM_DOUBLE = 1
};

enum {
    /* Letters other than ACGTN (either case) are refused; a likelihood is -Infinity only where the
     * model itself gives zero (a base quality of 0 against the only letter there is, say). */
    GKL_SHIM_STRICT = 0,
    /* As Intel's GKL: any byte but ACGTN counts as A, lower case too; a likelihood below double's
     * range (under about 1e-614) is -Infinity. For a drop-in. */
    GKL_SHIM_AS_GKL = 1
};

enum {
    GKL_SHIM_CPU = 0,
    /* The GPU, where there is one that works; elsewhere the CPU, with one warning on standard
     * error. The GPU engine is opened by CuPy code: the process's Python, or the one whose
     * absolute path is in GKL_SHIM_PYTHON (else python3 on the PATH), runs it, started when the
     * first such handle is opened; calls then need no Python. The first waits for it, ten seconds
     * at most. Nothing is run from the working directory: only absolute entries of PATH and
     * PYTHONPATH count. A program or library that everybody may write to is refused. */
    GKL_SHIM_CUDA = 1,
    /* Either, call by call, whichever is estimated to be done sooner; never waits. The bits of the
     * results do not depend on the choice. */
    GKL_SHIM_AUTO = 2
};

typedef struct {
    int32_t threads;     /* at most so many threads a call, the caller's included; 0: as many as
                            the process may use. More than that is reduced to it. */
    int32_t precision;   /* GKL_SHIM_SINGLE or GKL_SHIM_DOUBLE */
    int32_t conventions; /* GKL_SHIM_STRICT or GKL_SHIM_AS_GKL */
    const char *build;   /* "portable", "avx2", "avx512" or "neon"; NULL: the best for this CPU.
                            Every build gives the same bits. */
    int32_t backend;     /* GKL_SHIM_CPU, GKL_SHIM_CUDA or GKL_SHIM_AUTO */
} gkl_shim_pairhmm_options;

/* Regions of reads and haplotypes: every read of a region is computed against every haplotype of
 * the same region. All arrays are the caller's.
 *
 * Qualities are Phred, one byte a base, used modulo 128 (the top bit is ignored, as in GKL). */
typedef struct {
    int64_t regions;                   /* how many; 0 is fine */
    const int64_t *region_reads;       /* regions+1 offsets: region g has the reads
                                          [region_reads[g], region_reads[g+1]) */
    const int64_t *region_haplotypes;  /* regions+1 offsets, likewise */
    const int64_t *read_offsets;       /* reads+1 offsets into the five arrays below */
    const uint8_t *read_bases;         /* letters */
    const uint8_t *base_quals;         /* base qualities */
    const uint8_t *insertion_quals;    /* insertion gap-open qualities */
    const uint8_t *deletion_quals;     /* deletion gap-open qualities */
    const uint8_t *continuation_quals; /* gap-continuation qualities */
    const int64_t *haplotype_offsets;  /* haplotypes+1 offsets into haplotype_bases */
    const uint8_t *haplotype_bases;    /* letters */
} gkl_shim_pairhmm_batch;

/* What a handle has done since it was opened, all threads together, on CPU and GPU. */
typedef struct {
    int64_t regions;        /* regions computed */
    int64_t pairs;          /* read-haplotype pairs */
    int64_t cells;          /* read length x haplotype length, summed over pairs */
    int64_t computed_cells; /* of these, the cells left where haplotypes share what is alike; a pair
                               that is computed again counts once */
    int64_t rescued_pairs;  /* asked for in single precision and computed in double: the same number
                               on CPU and GPU */
    int64_t rescaled_pairs; /* that double precision does not hold: computed with rescaling, by the
                               CPU */
    int64_t cuda_pairs;     /* whose result a GPU computed; the CPU computed the others */
    double seconds;         /* time inside gkl_shim_pairhmm_compute, summed over calls */
} gkl_shim_pairhmm_stats;

typedef struct gkl_shim_pairhmm gkl_shim_pairhmm;

/* Open a handle. `options` NULL is all zeros. On failure *handle is NULL. Cheap: threads belong to
 * the process, are shared by all handles and sleep while there is no work. */
GKL_SHIM_API gkl_shim_status gkl_shim_pairhmm_open(const gkl_shim_pairhmm_options *options,
                                                   gkl_shim_pairhmm **handle);

/* Compute every pair of every region. `log10_likelihoods` receives, region after region, the
 * region's reads x haplotypes values, reads outer, haplotypes inner; `size` is how many doubles it
 * has room for, and must be at least the number of pairs (what is beyond is left alone).
 *
 * GKL_SHIM_EINVAL: a null pointer where there is data, offsets that do not start at 0 or that
 * decrease, a read or haplotype of length 0, a letter that the handle's conventions refuse,
 * `size` too small. Nothing is written in these cases. After GKL_SHIM_ENOMEM the output's content
 * is undefined. */
GKL_SHIM_API gkl_shim_status gkl_shim_pairhmm_compute(gkl_shim_pairhmm *handle,
                                                      const gkl_shim_pairhmm_batch *batch,
                                                      double *log10_likelihoods, int64_t size);

/* The handle's build: "portable", "avx2", "avx512" or "neon". */
GKL_SHIM_API const char *gkl_shim_pairhmm_build(const gkl_shim_pairhmm *handle);

/* As gkl_shim_pairhmm_compute(), for the pairs whose value is NaN, in double precision from the
 * start. Complements the CUDA kernels: what single precision could not hold. */
GKL_SHIM_API gkl_shim_status gkl_shim_pairhmm_complete(gkl_shim_pairhmm *handle,
                                                       const gkl_shim_pairhmm_batch *batch,
                                                       double *log10_likelihoods, int64_t size);

/* What the GPU engine of this process is, in a line: the devices in use, or why there are none. As
 * gkl_shim_last_error(), valid until the thread's next call of this function. */
GKL_SHIM_API const char *gkl_shim_cuda_state(void);

GKL_SHIM_API void gkl_shim_pairhmm_statistics(const gkl_shim_pairhmm *handle,
                                              gkl_shim_pairhmm_stats *stats);

/* Close a handle; NULL is fine. */
GKL_SHIM_API void gkl_shim_pairhmm_close(gkl_shim_pairhmm *handle);

/* ---- PairHMM: texts ------------------------------------------------------------------------- */

enum {
    /* The longest line of gkl_shim_pairhmm_format(). */
    GKL_SHIM_LINE_BYTES = 25
};

/* How many whole lines a text has, and how many bytes they are together. */
GKL_SHIM_API gkl_shim_status gkl_shim_count_lines(const uint8_t *text, int64_t size,
                                                  int32_t threads, int64_t *lines, int64_t *bytes);

/* What gkl_shim_pairhmm_parse() found. */
typedef struct {
    gkl_shim_pairhmm_batch batch; /* the text's whole regions, in the caller's arrays */
    int64_t lines, used;          /* lines and bytes up to the end of the last of them */
    /* The region that the text ends within: its first line, counted from 0, or -1 where there is
     * none; and how many of its reads and haplotypes are missing. */
    int64_t unfinished, missing_reads, missing_haplotypes;
} gkl_shim_pairhmm_text;

/* Read regions from a text in the .in format: a line with the number of reads and of haplotypes;
 * for each read a line with its bases and its base, insertion, deletion and continuation qualities
 * (Phred + 33, so bytes 33 to 160); for each haplotype a line with its letters. White space
 * separates fields; blank lines before a region are skipped; lines have at most `longest_line`
 * bytes.
 *
 * The batch's arrays lie in `offsets`, which has room for 2 * lines + 4, and in `letters`, which
 * has room for the bytes of the whole lines. The region that the text ends within is checked but
 * not taken; give it again from its start when there is more of it. `threads` is as in
 * gkl_shim_pairhmm_options.
 *
 * GKL_SHIM_EINVAL: the line after out->lines good ones is wrong; gkl_shim_last_error() says how. */
GKL_SHIM_API gkl_shim_status gkl_shim_pairhmm_parse(const uint8_t *text, int64_t size,
                                                    int64_t longest_line, int32_t threads,
                                                    int64_t *offsets, uint8_t *letters,
                                                    gkl_shim_pairhmm_text *out);

/* Write a value a line: the fewest digits that read back as the same number, as Python's repr()
 * shows it. `text` has room for GKL_SHIM_LINE_BYTES a value; *size becomes how many were written.
 */
GKL_SHIM_API gkl_shim_status gkl_shim_pairhmm_format(const double *values, int64_t count,
                                                     int32_t threads, uint8_t *text, int64_t *size);

/* ---- PairHMM on CUDA devices: the planner ---------------------------------------------------
 *
 * For the engine below and for tests; not a stable interface. A batch is cut into chunks. Each is
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

/* As gkl_shim_pairhmm_compute(), of batches that have been checked, whose results follow one
 * another; only a letter of a haplotype that the conventions refuse is GKL_SHIM_EINVAL. What
 * devices leave undone, because they fail, are slow in double precision or because that does not
 * hold it, the CPU engine computes: the results are the same. `done`, unless NULL, receives what
 * was done for this call, if it succeeds. */
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

/* ---- prefilter: is a read within so many edits of a segment of the reference? --------------- */

enum {
    /* The edit distance, exactly. */
    GKL_SHIM_EXACT = 0,
    /* The estimate of GateKeeper-GPU (arXiv:2103.14978), as its authors' program computes it: for
     * comparison. Needs reads and segments of equal length; global only. */
    GKL_SHIM_GATEKEEPER = 1
};

enum {
    GKL_SHIM_GLOBAL = 0, /* the whole read against the whole segment */
    GKL_SHIM_INFIX = 1,  /* the whole read against any piece of the segment */
    GKL_SHIM_PREFIX = 2  /* the whole read against a piece at the segment's start */
};

/* A pair's result where it is not its number of edits. */
enum {
    GKL_SHIM_ABOVE = -1,    /* more edits than max_edits */
    GKL_SHIM_UNDEFINED = -2 /* a letter other than ACGT, in either case */
};

typedef struct {
    int32_t threads;   /* at most so many threads a call, the caller's included; 0: as many as the
                          process may use. More than that is reduced to it. */
    int32_t method;    /* GKL_SHIM_EXACT or GKL_SHIM_GATEKEEPER */
    int32_t mode;      /* GKL_SHIM_GLOBAL, GKL_SHIM_INFIX or GKL_SHIM_PREFIX */
    int32_t max_edits; /* 0 to 255 */
    const char *build; /* as for PairHMM; every build gives the same results */
} gkl_shim_prefilter_options;

/* Sequences, one a pair, anywhere in one buffer; they may overlap. Each has 1 to 10,000 bases. The
 * buffer holds letters, or bit planes as gkl_shim_encode() makes them: a sequence may start at any
 * base of these. */
typedef struct {
    const uint8_t *letters; /* or NULL, and then: */
    const uint32_t *low;    /* planes of size bits, rounded up to words of 32 */
    const uint32_t *high;
    const uint32_t *undefined; /* NULL: every base is defined */
    int64_t size;              /* bases in the buffer */
    const int64_t *starts;     /* pair k's sequence starts at base starts[k]; NULL: at k * stride */
    int64_t stride;
    const int32_t *lengths; /* its length; NULL: all have `length` */
    int32_t length;
} gkl_shim_sequences;

typedef struct gkl_shim_prefilter gkl_shim_prefilter;

/* Open a handle. `options` NULL is all zeros. On failure *handle is NULL. */
GKL_SHIM_API gkl_shim_status gkl_shim_prefilter_open(const gkl_shim_prefilter_options *options,
                                                     gkl_shim_prefilter **handle);

/* results[k] = the edits of pair k, GKL_SHIM_ABOVE or GKL_SHIM_UNDEFINED. The results are the same
 * whatever the build, the number of threads and the company a pair is in.
 *
 * GKL_SHIM_EINVAL: a null pointer where there is data, a length that is not 1 to 10,000, a sequence
 * that is not within its buffer, unequal lengths where the method needs equal ones. Nothing is
 * written in these cases. After GKL_SHIM_ENOMEM the results are undefined. */
GKL_SHIM_API gkl_shim_status gkl_shim_prefilter_compute(const gkl_shim_prefilter *handle,
                                                        int64_t pairs,
                                                        const gkl_shim_sequences *reads,
                                                        const gkl_shim_sequences *segments,
                                                        int16_t *results);

/* The handle's build: "portable", "avx2", "avx512" or "neon". */
GKL_SHIM_API const char *gkl_shim_prefilter_build(const gkl_shim_prefilter *handle);

/* Close a handle; NULL is fine. */
GKL_SHIM_API void gkl_shim_prefilter_close(gkl_shim_prefilter *handle);

/* Letters to bit planes: bit k % 32 of word k / 32 of each plane is base k's. A is 0, C sets low, T
 * high, G both; any other letter sets undefined, and then *any_undefined becomes 1, else 0. Each
 * plane has (count + 31) / 32 words; bits beyond the last base are 0. */
GKL_SHIM_API gkl_shim_status gkl_shim_encode(const uint8_t *letters, int64_t count, int32_t threads,
                                             uint32_t *low, uint32_t *high, uint32_t *undefined,
                                             int32_t *any_undefined);

/* Copy arrays, sizes[k] bytes each, on several threads: one is slower than the bus that a GPU is
 * at. */
GKL_SHIM_API gkl_shim_status gkl_shim_copy(int32_t arrays, uint8_t *const *targets,
                                           const uint8_t *const *sources, const int64_t *sizes,
                                           int32_t threads);

/* Find the pairs in lines "read TAB segment": where each field starts in `text`, and its length.
 * Takes whole lines (they may end in CR LF), at most `capacity`; *pairs says how many, *used how
 * many bytes they are. `threads` is as for gkl_shim_prefilter_options.
 *
 * GKL_SHIM_EINVAL: the line after the *pairs good ones is wrong; gkl_shim_last_error() says how. A
 * field is 1 to 10,000 letters. */
GKL_SHIM_API gkl_shim_status gkl_shim_parse_pairs(const uint8_t *text, int64_t size,
                                                  int64_t capacity, int32_t threads,
                                                  int64_t *read_starts, int32_t *read_lengths,
                                                  int64_t *segment_starts, int32_t *segment_lengths,
                                                  int64_t *pairs, int64_t *used);

/* A reference's contigs: names one after another, and where each starts, count + 1 offsets. */
typedef struct {
    int32_t count;
    const char *names;
    const int64_t *name_offsets;
    const int64_t *lengths; /* bases of each contig */
} gkl_shim_contigs;

/* Read lines "read TAB contig TAB position", with a further TAB and + or - where the strand is
 * given. Read and position count from 0. As gkl_shim_parse_pairs() otherwise; `reads` is how many
 * there are, contig_indices count the contigs, and reverse is 1 for strand -.
 *
 * GKL_SHIM_EINVAL too: a read or contig that there is not, a position that is not in the contig. */
GKL_SHIM_API gkl_shim_status gkl_shim_parse_candidates(
    const uint8_t *text, int64_t size, int64_t capacity, int32_t threads, int64_t reads,
    const gkl_shim_contigs *contigs, int32_t *read_indices, int32_t *contig_indices,
    int64_t *positions, uint8_t *reverse, int64_t *candidates, int64_t *used);

/* Results as lines "edits TAB verdict", the verdict being pass, reject or undefined (reject where
 * `reject_undefined`). `text` has room for 13 bytes a pair; returns how many were written. */
GKL_SHIM_API int64_t gkl_shim_prefilter_format(const int16_t *results, int64_t pairs,
                                               int32_t reject_undefined, uint8_t *text);

/* ---- NumPy arrays ---------------------------------------------------------------------------
 *
 * For the Python package; not a stable interface. */

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

/* cffi: end */

#ifdef __cplusplus
}
#endif

#endif /* GKL_SHIM_H */

/*
 * gkl_shim_internal.h - functions for this project's own Python package and tests.
 *
 * This is not a stable interface, and it is not installed. The conventions of gkl_shim.h apply,
 * but for null pointers and sizes: these functions trust their callers.
 */
#ifndef GKL_SHIM_INTERNAL_H
#define GKL_SHIM_INTERNAL_H

#include "gkl_shim.h"

#ifdef __cplusplus
extern "C" {
#endif

/* cffi: begin (cmake/abi.py reads the declarations between the two marks) */

/* ---- Long calls ----------------------------------------------------------------------------- */

/* Whether the caller wants its call to end before it is done. */
typedef int32_t (*gkl_shim_interrupt)(void);

/* Let the calls of this thread call interrupt() at intervals of about this many milliseconds, on
 * this thread. If it returns another number than 0, they end with GKL_SHIM_EINTERNAL. NULL: they do
 * not ask. Returns the function that was set before.
 *
 * interrupt() may call every function of this library, with the handles of the call that asks, too,
 * but it may not close what that call uses, nor change what that call reads or writes. A counter of
 * k-mers refuses further calls while one is running. Calls that interrupt() makes do not ask,
 * unless it sets a function for them. interrupt() runs in the library's floating-point mode, and
 * must leave the mode as it was. */
GKL_SHIM_API gkl_shim_interrupt gkl_shim_interruptible(gkl_shim_interrupt interrupt,
                                                       int32_t milliseconds);

/* ---- Text ----------------------------------------------------------------------------------- */

/* Count the complete lines of a text, and the bytes in them. */
GKL_SHIM_API gkl_shim_status gkl_shim_count_lines(const uint8_t *text, int64_t size,
                                                  int32_t threads, int64_t *lines, int64_t *bytes);

/* ---- CPU or GPU -----------------------------------------------------------------------------
 *
 * The backend "auto" of every algorithm chooses an engine for each call by what earlier calls of
 * that size cost. The algorithm estimates the cost of the first ones. */

/* What a call is expected to cost. `size` measures the calls of one algorithm, for example in
 * cells. Calls whose sizes have the same number of binary digits share what is learned. */
typedef struct {
    int64_t size;
    double cpu_nanoseconds, gpu_nanoseconds;
} gkl_shim_call_estimate;

/* What the calls of one handle of an algorithm have cost. */
typedef struct gkl_shim_call_costs gkl_shim_call_costs;

GKL_SHIM_API gkl_shim_status gkl_shim_call_costs_open(gkl_shim_call_costs **costs);

/* Returns 1 if the GPU is expected to finish the call sooner. If the engines are about equally
 * fast, it returns the slower one now and then, to learn whether it still is. */
GKL_SHIM_API int32_t gkl_shim_call_costs_prefer_gpu(gkl_shim_call_costs *costs,
                                                    const gkl_shim_call_estimate *call);

/* Record how long a call took. gkl_shim_call_costs_prefer_gpu() must have had it before. */
GKL_SHIM_API void gkl_shim_call_costs_add(gkl_shim_call_costs *costs,
                                          const gkl_shim_call_estimate *call, int32_t on_gpu,
                                          int64_t nanoseconds);

/* Close; NULL is allowed. */
GKL_SHIM_API void gkl_shim_call_costs_close(gkl_shim_call_costs *costs);

/* ---- CUDA devices --------------------------------------------------------------------------- */

/* The functions of the CUDA driver that the engines call, under their own names. Contexts, streams,
 * events and kernels are the driver's handles. Each function returns 0 or an error number. */
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
    int32_t (*cuMemcpyHtoDAsync_v2)(uint64_t to, const void *from, size_t size, void *stream);
    int32_t (*cuMemcpyDtoHAsync_v2)(void *to, uint64_t from, size_t size, void *stream);
    int32_t (*cuPointerGetAttribute)(void *value, int32_t attribute, uint64_t address);
    int32_t (*cuMemsetD8Async)(uint64_t to, uint8_t value, size_t size, void *stream);
    int32_t (*cuLaunchKernel)(void *kernel, uint32_t grid_x, uint32_t grid_y, uint32_t grid_z,
                              uint32_t block_x, uint32_t block_y, uint32_t block_z,
                              uint32_t shared_bytes, void *stream, void **parameters, void **extra);
    int32_t (*cuGetErrorName)(int32_t error, const char **name);
    int32_t (*cuGetErrorString)(int32_t error, const char **text);
} gkl_shim_cuda_driver;

/* The Python package chooses the devices, loads the kernels and passes both to the function that
 * opens an algorithm's gkl_shim_cuda_engine. The kernels and contexts must outlive the engine.
 * After that it needs no Python. */

/* The GPUs that Python has opened for an algorithm. It keeps them open until the process ends. */
typedef struct {
    const char *devices; /* their names, for people */
    const void *record;  /* what the algorithm's engine opens with */
} gkl_shim_opened;

/* ---- PairHMM -------------------------------------------------------------------------------- */

/* Estimate a call's cost. `precision` and `threads` are as in gkl_shim_pairhmm_options;
 * `slow_double` is as in gkl_shim_pairhmm_cuda_device. Returns GKL_SHIM_EINVAL if
 * gkl_shim_pairhmm_check() does. */
GKL_SHIM_API gkl_shim_status gkl_shim_pairhmm_estimate(const gkl_shim_pairhmm_batch *batch,
                                                       int32_t precision, int32_t slow_double,
                                                       int32_t threads,
                                                       gkl_shim_call_estimate *call);

/* The pairs of a batch whose offsets are in order, or minus a gkl_shim_status. */
GKL_SHIM_API int64_t gkl_shim_pairhmm_pairs(const gkl_shim_pairhmm_batch *batch);

/* ---- PairHMM on CUDA devices: the kernels --------------------------------------------------- */

enum {
    GKL_SHIM_PAIRHMM_CUDA_WIDTHS = 6,
    GKL_SHIM_PAIRHMM_CUDA_KERNELS = 7,     /* one for each width, then the striped one */
    GKL_SHIM_PAIRHMM_CUDA_LONE_KERNELS = 4 /* for regions of one haplotype, in single precision;
                                              double precision has one kernel for these */
};

/* The rows per lane of each kernel, in ascending order, padded with zeros. */
GKL_SHIM_API void gkl_shim_pairhmm_cuda_widths(int32_t precision,
                                               int32_t widths[GKL_SHIM_PAIRHMM_CUDA_WIDTHS]);

/* The rows per lane of each kernel for regions of one haplotype in single precision. */
GKL_SHIM_API void gkl_shim_pairhmm_cuda_lone_rows(int32_t rows[GKL_SHIM_PAIRHMM_CUDA_LONE_KERNELS]);

/* The shared memory of a kernel's block, in bytes. Only double precision has the striped kernel. */
GKL_SHIM_API int32_t gkl_shim_pairhmm_cuda_shared_bytes(int32_t precision, int32_t kernel);

/* The kernels' tables, which all chunks share. Returns their size in bytes, or minus a
 * gkl_shim_status. Writes them to `tables` unless that is NULL. */
GKL_SHIM_API int64_t gkl_shim_pairhmm_cuda_tables(int32_t precision, int32_t conventions,
                                                  void *tables);

/* ---- PairHMM on CUDA devices: the engine ---------------------------------------------------- */

typedef struct {
    void *functions[GKL_SHIM_PAIRHMM_CUDA_KERNELS]; /* NULL if the precision has no such kernel */
    void *lone[GKL_SHIM_PAIRHMM_CUDA_LONE_KERNELS]; /* the same */
    uint64_t tables[2]; /* addresses of gkl_shim_pairhmm_cuda_tables() in device memory: for
                           GKL_SHIM_STRICT and GKL_SHIM_AS_GKL */
} gkl_shim_pairhmm_cuda_kernels;

typedef struct {
    int32_t number; /* for messages */
    void *context;
    int32_t multiprocessors;
    int32_t slow_double;   /* 1: the CPU computes what single precision cannot hold, unless another
                              device has 0 here */
    int64_t scratch_bytes; /* limit for a chunk, about */
    int64_t memory_bytes;  /* limit for all chunks, with their blocks */
    gkl_shim_pairhmm_cuda_kernels kernels[2]; /* for GKL_SHIM_SINGLE and GKL_SHIM_DOUBLE */
} gkl_shim_pairhmm_cuda_device;

typedef struct {
    int32_t precision;      /* GKL_SHIM_SINGLE or GKL_SHIM_DOUBLE */
    int32_t conventions;    /* GKL_SHIM_STRICT or GKL_SHIM_AS_GKL */
    int32_t threads;        /* for planning, and for pairs that no device computes */
    int32_t rows_per_lane;  /* 0: choose by cost; otherwise every tile uses the kernel with this
                               many, unless that cannot hold the region's longest read */
    int32_t slots;          /* limit on a device's chunks in flight, of all calls together */
    int32_t streams;        /* limit on a call's chunks in flight, for each device; 0: chosen from
                               the threads */
    int32_t launch_threads; /* threads that plan and launch chunks, for each call and device; 0:
                               chosen from the threads */
    int64_t cells[2];       /* of a chunk, about; for each precision */
    int64_t planning;       /* limit on the time to plan a chunk on one thread, in nanoseconds,
                               about; 0: none */
    int32_t device_count;
    const gkl_shim_pairhmm_cuda_device *devices;
    const gkl_shim_cuda_driver *driver;
} gkl_shim_pairhmm_cuda_options;

/* The record of a gkl_shim_opened. */
typedef struct {
    gkl_shim_pairhmm_cuda_options options; /* for an engine of any precision and conventions */
    gkl_shim_pairhmm_batch first; /* loads the kernels, and makes the buffers as large as a deep
                                     region needs, so that no caller waits for that */
} gkl_shim_pairhmm_opened;

/* Open an engine. The tables must outlive it. On failure *engine is NULL. */
GKL_SHIM_API gkl_shim_status gkl_shim_pairhmm_cuda_open(
    const gkl_shim_pairhmm_cuda_options *options, gkl_shim_cuda_engine **engine);

/* Like gkl_shim_pairhmm_compute(), for several batches whose results are stored one after another.
 * The CPU engine computes the pairs that no device does: because the device fails, because it is
 * slow in double precision, or because the likelihood is outside the range of double precision. The
 * results are the same. `one_gap` has a byte for each batch: 1 if all bases are known to have the
 * same gap qualities, which are then not read again; it may be NULL. Unless it is NULL, `done`
 * receives what was done for this call if it succeeds.
 *
 * GKL_SHIM_EINVAL: gkl_shim_pairhmm_check() refuses a batch, or the conventions refuse a
 * haplotype's letter. */
GKL_SHIM_API gkl_shim_status gkl_shim_pairhmm_cuda_compute(gkl_shim_cuda_engine *engine,
                                                           const gkl_shim_pairhmm_batch *batches,
                                                           const uint8_t *one_gap, int64_t count,
                                                           double *log10_likelihoods,
                                                           gkl_shim_pairhmm_stats *done);

/* What the engine has done since it was opened, summed over all calls. */
GKL_SHIM_API gkl_shim_status gkl_shim_pairhmm_cuda_statistics(const gkl_shim_cuda_engine *engine,
                                                              gkl_shim_pairhmm_stats *stats);

/* ---- prefilter: CPU or GPU ------------------------------------------------------------------ */

/* Estimate a call's cost. `bases` are those of the reads; `bytes` is the size of the arrays that a
 * GPU has to be sent. */
GKL_SHIM_API void gkl_shim_prefilter_estimate(int64_t bases, int64_t bytes, int32_t max_edits,
                                              int32_t threads, gkl_shim_call_estimate *call);

/* ---- prefilter on CUDA devices -------------------------------------------------------------- */

/* Where letters are encoded. By default on the device if they lie in pinned memory, from which they
 * need not be copied; otherwise here, because encoding takes no longer than copying and the bus
 * carries three bits a base instead of eight. */
enum {
    GKL_SHIM_PREFILTER_CUDA_AUTO = 0,
    GKL_SHIM_PREFILTER_CUDA_ON_HOST = 1,
    GKL_SHIM_PREFILTER_CUDA_ON_DEVICE = 2
};

/* The kernels of an engine's method and mode. */
typedef struct {
    void *exact[2];       /* for bands of up to 32 and 64 diagonals */
    void *exact_words[2]; /* 128 and 256 */
    void *exact_blocks;   /* any number; NULL in global mode, which has no such bands */
    void *estimate[4];    /* for reads of up to 128, 256, 512 and 10,240 bases */
    void *encode;
} gkl_shim_prefilter_cuda_kernels;

typedef struct {
    int32_t number; /* for messages */
    void *context;
    gkl_shim_prefilter_cuda_kernels kernels;
} gkl_shim_prefilter_cuda_device;

typedef struct {
    int32_t threads;   /* as in gkl_shim_pairhmm_options; they copy and encode */
    int32_t method;    /* as in gkl_shim_prefilter_options */
    int32_t mode;      /* as in gkl_shim_prefilter_options */
    int32_t max_edits; /* as in gkl_shim_prefilter_options */
    int32_t encode;    /* GKL_SHIM_PREFILTER_CUDA_AUTO, _ON_HOST or _ON_DEVICE */
    int32_t device_count;
    int64_t chunk_bytes;  /* that a chunk sends, about */
    int64_t memory_bytes; /* limit on the memory of a device's chunks, about */
    const gkl_shim_prefilter_cuda_device *devices;
    const gkl_shim_cuda_driver *driver;
} gkl_shim_prefilter_cuda_options;

/* Open an engine. On failure *engine is NULL. */
GKL_SHIM_API gkl_shim_status gkl_shim_prefilter_cuda_open(
    const gkl_shim_prefilter_cuda_options *options, gkl_shim_cuda_engine **engine);

/* A part of a call, and what became of it. */
typedef struct {
    int64_t first, last; /* in: compute these pairs */
    int64_t chunk_pairs; /* in: pairs that go to a device at once; 0: chosen by their size */
    int64_t undone;      /* out: pairs that no device has computed, because devices have failed */
    int64_t fault;       /* out: the first candidate that is out of range, or -1 */
} gkl_shim_prefilter_cuda_call;

/* The result of a pair that no device has computed. */
enum { GKL_SHIM_PREFILTER_CUDA_UNDONE = -3 };

/* Like gkl_shim_prefilter_compute(), for pairs that have been checked. `results` are those of all
 * pairs, from the first one on. */
GKL_SHIM_API gkl_shim_status gkl_shim_prefilter_cuda_compute(
    gkl_shim_cuda_engine *engine, const gkl_shim_prefilter_sequences *reads,
    const gkl_shim_prefilter_sequences *segments, int16_t *results,
    gkl_shim_prefilter_cuda_call *call);

/* Reads and contigs that stay on the devices. */
typedef struct gkl_shim_prefilter_cuda_resident gkl_shim_prefilter_cuda_resident;

typedef struct {
    const gkl_shim_prefilter_sequences *reads; /* bit planes, as are the contigs */
    const gkl_shim_prefilter_sequences *contigs;
    int32_t read_count;
    int32_t contig_count;
    int32_t both_strands; /* 1: the reverse complements follow the reads */
} gkl_shim_prefilter_cuda_references;

/* Keep reads and contigs. They are sent to a device when it computes its first candidates, so the
 * arrays must outlive the handle. */
GKL_SHIM_API gkl_shim_status gkl_shim_prefilter_cuda_resident_open(
    gkl_shim_cuda_engine *engine, const gkl_shim_prefilter_cuda_references *references,
    gkl_shim_prefilter_cuda_resident **resident);

typedef struct {
    const int32_t *reads;
    const int32_t *contigs; /* NULL: all are in the only contig */
    const void *positions;
    const uint8_t *reverse; /* NULL: none is reversed */
    int32_t wide;           /* 1: positions are int64_t; 0: int32_t */
} gkl_shim_prefilter_cuda_candidates;

/* Compute candidates. If one is out of range, call->fault is the first such candidate, and results
 * from it on are undefined. */
GKL_SHIM_API gkl_shim_status gkl_shim_prefilter_cuda_compute_candidates(
    gkl_shim_cuda_engine *engine, gkl_shim_prefilter_cuda_resident *resident,
    const gkl_shim_prefilter_cuda_candidates *candidates, int16_t *results,
    gkl_shim_prefilter_cuda_call *call);

/* Free the memory on the devices; NULL is allowed. The engine may be closed already. */
GKL_SHIM_API void gkl_shim_prefilter_cuda_resident_close(
    gkl_shim_prefilter_cuda_resident *resident);

/* ---- Smith-Waterman ------------------------------------------------------------------------- */

/* Like gkl_shim_smithwaterman_align(), but compute every pair with Java's 32-bit integers, one cell
 * at a time. The results are the same. */
GKL_SHIM_API gkl_shim_status gkl_shim_smithwaterman_align_exactly(
    const gkl_shim_smithwaterman *handle, const gkl_shim_smithwaterman_batch *batch,
    const gkl_shim_smithwaterman_parameters *parameters, int64_t *offsets, int64_t *cigar_offsets,
    char *cigars, int64_t size);

/* ---- mem: CPU or GPU ------------------------------------------------------------------------ */

/* Estimate a search's cost. `letters` are those of all strands of the queries. */
GKL_SHIM_API void gkl_shim_mem_estimate(int64_t letters, int32_t threads,
                                        gkl_shim_call_estimate *call);

/* ---- mem on CUDA devices -------------------------------------------------------------------- */

/* The kernels of mem/cuda/kernels.cu, under their own names. */
typedef struct {
    void *make_text;
    void *count_parts, *divide_seeds, *sort_parts, *sum_values, *scan_values;
    void *count_matches, *place_matches, *fill_matches, *order_matches;
} gkl_shim_mem_cuda_kernels;

typedef struct {
    int32_t number; /* for messages */
    void *context;
    gkl_shim_mem_cuda_kernels kernels;
} gkl_shim_mem_cuda_device;

typedef struct {
    int64_t memory_bytes;  /* that the engine may take of each device, about */
    int64_t page_letters;  /* 0: chosen from the memory and the devices */
    int64_t chunk_letters; /* of queries; 0: chosen */
    int32_t streams;       /* of a device; 0: chosen */
    int32_t device_count;
    const gkl_shim_mem_cuda_device *devices;
    const gkl_shim_cuda_driver *driver;
} gkl_shim_mem_cuda_options;

/* Open an engine. On failure *engine is NULL. */
GKL_SHIM_API gkl_shim_status gkl_shim_mem_cuda_open(const gkl_shim_mem_cuda_options *options,
                                                    gkl_shim_cuda_engine **engine);

/* The pages of the reference on the devices that found the matches; 0: the CPU found them. */
GKL_SHIM_API int64_t gkl_shim_mem_cuda_pages(const gkl_shim_mem_matches *matches);

/* ---- Read correction: pieces of files ------------------------------------------------------- */

/* The reads of a piece of a FASTQ or FASTA file. The prefilter reads its files with it, too. */
typedef struct gkl_shim_correct_chunk gkl_shim_correct_chunk;

/* With `for_prefilter`, reads may have other letters than ACGTN. Such a chunk cannot be counted or
 * corrected. */
GKL_SHIM_API gkl_shim_status gkl_shim_correct_chunk_open(int32_t threads, int32_t for_prefilter,
                                                         gkl_shim_correct_chunk **chunk);

/* Find the complete records in a text. The text stays the caller's; the calls below read and change
 * it. `last` says that the file ends with it; then it must end with a newline. `before` is how many
 * records of the file came before. *records, *bases and *end become what was found, and where it
 * ends. */
GKL_SHIM_API gkl_shim_status gkl_shim_correct_chunk_parse(gkl_shim_correct_chunk *chunk,
                                                          uint8_t *text, int64_t size, int32_t last,
                                                          int64_t before, int64_t *records,
                                                          int64_t *bases, int64_t *end);

/* The sum of the squares of the reads' lengths. */
GKL_SHIM_API double gkl_shim_correct_chunk_squares(const gkl_shim_correct_chunk *chunk);

/* Copy the letters of all reads, one read after another, and the length of each. */
GKL_SHIM_API void gkl_shim_correct_chunk_reads(const gkl_shim_correct_chunk *chunk,
                                               uint8_t *letters, int32_t *lengths);

/* Keep the first records only. *bases and *end become theirs. */
GKL_SHIM_API void gkl_shim_correct_chunk_cut(gkl_shim_correct_chunk *chunk, int64_t records,
                                             int64_t *bases, int64_t *end);

/* Compare the names of mates: of reads 2k and 2k+1 if `mates` is NULL, otherwise of read k here and
 * there. Names end at the first white space, and may end with 1 for one mate and 2 for the other,
 * after a slash, a point, an underscore or a hyphen. *first is that number of all first mates, and
 * 0 before a pair has numbers. If the names of a pair differ otherwise, or the number is another,
 * GKL_SHIM_EINVAL is returned, and the error has both names. `before` pairs came before. */
GKL_SHIM_API gkl_shim_status gkl_shim_correct_chunk_compare_names(
    const gkl_shim_correct_chunk *chunk, const gkl_shim_correct_chunk *mates, int64_t before,
    int32_t *first);

/* As gkl_shim_correct_count(). */
GKL_SHIM_API gkl_shim_status gkl_shim_correct_chunk_count(gkl_shim_correct_chunk *chunk,
                                                          gkl_shim_correct_counter *counter);

typedef struct {
    int64_t states[4]; /* reads by state */
    int64_t bases;     /* changed bases */
} gkl_shim_correct_totals;

/* Correct the reads in the text. What became of them is added to the totals. */
GKL_SHIM_API gkl_shim_status gkl_shim_correct_chunk_correct(
    gkl_shim_correct_chunk *chunk, const gkl_shim_correct_options *options,
    const gkl_shim_correct_spectrum *spectrum, gkl_shim_correct_totals *totals);

typedef struct {
    int64_t discarded;       /* reads that were left out */
    int64_t mates;           /* those of them that are not unsolved, but whose mates are */
    int64_t discarded_bases; /* of all reads that were left out */
    int64_t trimmed;         /* reads that were cut */
    int64_t trimmed_bases;   /* cut off */
} gkl_shim_correct_removed;

/* Write the corrected records to `out`, which has room for the text. Unsolved reads are trimmed, or
 * left out. Mates are left out together: reads 2k and 2k+1 if `interleaved`, otherwise read k here
 * and in `mates`, if that is not NULL. *written becomes the number of bytes. What is not written is
 * added to *removed. */
GKL_SHIM_API gkl_shim_status gkl_shim_correct_chunk_write(const gkl_shim_correct_chunk *chunk,
                                                          const gkl_shim_correct_chunk *mates,
                                                          int32_t interleaved, int32_t trim,
                                                          int32_t discard, uint8_t *out,
                                                          int64_t *written,
                                                          gkl_shim_correct_removed *removed);

GKL_SHIM_API void gkl_shim_correct_chunk_close(gkl_shim_correct_chunk *chunk);

/* ---- Read correction: CPU or GPU ------------------------------------------------------------ */

/* Estimate the cost of correcting reads. */
GKL_SHIM_API void gkl_shim_correct_estimate(int64_t bases, int32_t threads,
                                            gkl_shim_call_estimate *call);

/* ---- Read correction on CUDA devices -------------------------------------------------------- */

/* The kernels of correct/cuda/kernels.cu, under their own names. */
typedef struct {
    void *count_kmers, *move_entries, *finish_tables, *search_reads, *vote_reads;
} gkl_shim_correct_cuda_kernels;

typedef struct {
    int32_t number; /* for messages */
    void *context;
    int64_t memory_bytes; /* that counting or a spectrum may take of the device, about */
    gkl_shim_correct_cuda_kernels kernels;
} gkl_shim_correct_cuda_device;

typedef struct {
    int32_t threads;     /* as in gkl_shim_pairhmm_options; they copy */
    int64_t chunk_bases; /* of reads that are corrected at once; 0: chosen */
    int32_t device_count;
    const gkl_shim_correct_cuda_device *devices;
    const gkl_shim_cuda_driver *driver;
} gkl_shim_correct_cuda_options;

/* Open an engine. On failure *engine is NULL. */
GKL_SHIM_API gkl_shim_status gkl_shim_correct_cuda_open(
    const gkl_shim_correct_cuda_options *options, gkl_shim_cuda_engine **engine);

/* Whether devices count for this counter; 0: the CPU does. */
GKL_SHIM_API int32_t gkl_shim_correct_cuda_counts(const gkl_shim_correct_counter *counter);

/* ---- Records of BAM files, for MarkDuplicates ------------------------------------------------
 *
 * A usual record is one in which htsjdk finds no fault. What is said of records is true of usual
 * ones. The records may have any bytes. */

/* The numbers of a record's row that gkl_shim_duplicates_read_ends() writes. */
enum {
    GKL_SHIM_DUPLICATES_KIND = 0,     /* low 32 bits: a kind, from below; high 32 bits: the value of
                                         the program, or -1 if it is not asked for */
    GKL_SHIM_DUPLICATES_PLACE = 1,    /* twice the place of the 5' end, and 1 if reversed */
    GKL_SHIM_DUPLICATES_LOCATION = 2, /* x << 32 | y, on the flow cell */
    GKL_SHIM_DUPLICATES_REST = 3,     /* group << 32 | score (16 bits) << 16 | tile (16 bits) */
    GKL_SHIM_DUPLICATES_HASH = 4,     /* of the name and what comes before it, of paired reads */
    GKL_SHIM_DUPLICATES_BARCODE = 5,  /* Picard's hashes: of the barcode of both mates, */
    GKL_SHIM_DUPLICATES_END_BARCODES = 6, /* the first mate's << 32 | the second mate's */
    GKL_SHIM_DUPLICATES_ROW = 7
};

/* The tags that a header may name. */
enum {
    GKL_SHIM_DUPLICATES_TAG_BARCODE = 0, /* of both mates */
    GKL_SHIM_DUPLICATES_TAG_FIRST = 1,   /* the barcode of the first mate */
    GKL_SHIM_DUPLICATES_TAG_SECOND = 2,
    GKL_SHIM_DUPLICATES_TAG_MOLECULE = 3, /* which gets the molecule of the read */
    GKL_SHIM_DUPLICATES_NAMED_TAGS = 4
};

/* The kinds of records. */
enum {
    GKL_SHIM_DUPLICATES_SKIPPED = 0,  /* says nothing about duplicates */
    GKL_SHIM_DUPLICATES_UNPAIRED = 1, /* a mapped read without a mapped mate */
    GKL_SHIM_DUPLICATES_PAIRED = 2,
    GKL_SHIM_DUPLICATES_UNUSUAL = 3,
    GKL_SHIM_DUPLICATES_LOCATED = 4 /* added to a kind: the name has a place on the flow cell */
};

/* What a header and the tool's options say. */
enum {
    GKL_SHIM_DUPLICATES_READS_PROGRAMS = 1,    /* rows have the values of programs */
    GKL_SHIM_DUPLICATES_IS_GROUPED = 2,        /* records of one name are neighbours */
    GKL_SHIM_DUPLICATES_SCORES_QUALITIES = 4,  /* the score is the sum of the qualities from 15 on,
                                                  and not the span of the alignment */
    GKL_SHIM_DUPLICATES_READS_NAMES = 8,       /* names are expected to have the place */
    GKL_SHIM_DUPLICATES_HAS_SHORT_PLACES = 16, /* x and y have 16 bits */
    GKL_SHIM_DUPLICATES_REMOVES = 32,          /* duplicates are not written */
    GKL_SHIM_DUPLICATES_REMOVES_OPTICAL = 64,
    GKL_SHIM_DUPLICATES_TAGS = 128,              /* optical duplicates get the tag DT:Z:SQ, */
    GKL_SHIM_DUPLICATES_TAGS_ALL = 256,          /* and others DT:Z:LB */
    GKL_SHIM_DUPLICATES_CLEARS_TYPE = 512,       /* the old tag DT is removed */
    GKL_SHIM_DUPLICATES_SETS_PROGRAM = 1024,     /* the tag PG is set to its new text, or removed */
    GKL_SHIM_DUPLICATES_RENAMES_GROUPS = 2048,   /* so does RG */
    GKL_SHIM_DUPLICATES_RENAMES_PROGRAMS = 4096, /* the same for PG, if the record has one */
    GKL_SHIM_DUPLICATES_IS_DUPLEX = 8192         /* barcodes are of two strands */
};
typedef struct {
    int32_t options;
    int32_t margin; /* how far a 5' end may be outside of its sequence */
    int32_t sequences, groups;
    const int64_t *lengths;      /* of the reference's sequences */
    const int64_t *offsets;      /* what is added to a coordinate to make it a place */
    const int64_t *names;        /* sequences + 1: where each name starts in the letters */
    const int64_t *group_hashes; /* the hash, before the name, of each read group's reads */
    /* The first letter is the low byte. 0: there is no such tag. */
    uint16_t tags[GKL_SHIM_DUPLICATES_NAMED_TAGS];
} gkl_shim_duplicates_header;

/* Records, each from its size on. A record has at least 36 bytes. */
typedef struct {
    int64_t size; /* of the bytes */
    const uint8_t *bytes;
    int32_t count;
    const int32_t *starts; /* count + 1: where each record begins, and where the last one ends */
    const int32_t *files;  /* the number of each record's file; NULL: all are 0 */
} gkl_shim_duplicates_records;

/* The texts of tags that are known, in a hash table with linear probing. Each slot is a row. The
 * hash of a text is Java's, from the kind and the file on: hash = 31 * hash + byte. */
enum {
    GKL_SHIM_DUPLICATES_TEXT_OF = 0,     /* 2 * file + kind; -1: the slot is empty */
    GKL_SHIM_DUPLICATES_TEXT_START = 1,  /* in the letters */
    GKL_SHIM_DUPLICATES_TEXT_LENGTH = 2, /* -1: for records without the tag */
    GKL_SHIM_DUPLICATES_TEXT_VALUE = 3,  /* of RG the number of the read group, -1 if unknown */
    GKL_SHIM_DUPLICATES_NEW_START = 4,
    GKL_SHIM_DUPLICATES_NEW_LENGTH = 5, /* of the text that takes its place; -1: there is none */
    GKL_SHIM_DUPLICATES_TEXT_ROW = 6
};
enum { GKL_SHIM_DUPLICATES_RG = 0, GKL_SHIM_DUPLICATES_PG = 1 }; /* the kinds of texts */
typedef struct {
    int64_t size; /* of the letters */
    const uint8_t *letters;
    int32_t slots; /* a power of 2. One is empty */
    const int32_t *rows;
} gkl_shim_duplicates_texts;

/* Why a call has stopped at a record. It is called again from this record on, with what was
 * missing. */
enum {
    GKL_SHIM_DUPLICATES_DONE = 0,
    GKL_SHIM_DUPLICATES_UNKNOWN_TEXT = 1, /* it is not in the table */
    GKL_SHIM_DUPLICATES_OUTSIDE = 2,      /* the 5' end is too far outside of its sequence */
    GKL_SHIM_DUPLICATES_NO_ROOM = 3,      /* for the marked record */
    GKL_SHIM_DUPLICATES_UNPLACED = 4      /* the first record without a place was read */
};
typedef struct {
    int32_t reason, record;
    int32_t text_of;       /* of an unknown text, as in the table */
    int32_t start, length; /* where it is in the records' bytes; the length may be -1 */
    int32_t needed;        /* how many bytes the output must have */
} gkl_shim_duplicates_stop;

/* Write a row for each record from number `from` on. */
GKL_SHIM_API gkl_shim_status gkl_shim_duplicates_read_ends(
    const gkl_shim_duplicates_records *records, const gkl_shim_duplicates_header *header,
    const gkl_shim_duplicates_texts *texts, int32_t from, int64_t *rows,
    gkl_shim_duplicates_stop *stop);

/* The marks of reads, a bit each. */
typedef struct {
    int64_t first;          /* the place in the file of the first record */
    const int64_t *indexes; /* the places by which records are marked; NULL: their own */
    int64_t base;           /* the place of the first bit, a multiple of 64 */
    int64_t words;
    const int64_t *duplicates;
    const int64_t *optical; /* NULL if nobody asks */
} gkl_shim_duplicates_marks;

/* What is counted for each read group. */
enum {
    GKL_SHIM_DUPLICATES_COUNT_UNMAPPED = 0,
    GKL_SHIM_DUPLICATES_COUNT_NOT_PRIMARY = 1,
    GKL_SHIM_DUPLICATES_COUNT_UNPAIRED = 2,
    GKL_SHIM_DUPLICATES_COUNT_PAIRED = 3,
    GKL_SHIM_DUPLICATES_COUNT_UNPAIRED_DUPLICATES = 4,
    GKL_SHIM_DUPLICATES_COUNT_PAIRED_DUPLICATES = 5,
    GKL_SHIM_DUPLICATES_COUNTS = 6
};
typedef struct {
    int64_t size;
    uint8_t *bytes;
    int32_t *ends;    /* where the marked bytes end after each record. Unusual records and those
                         that are removed have none */
    uint8_t *unusual; /* 1 for each unusual record */
    int64_t *counts;  /* GKL_SHIM_DUPLICATES_COUNTS for each read group, which are added to */
} gkl_shim_duplicates_output;

/* Mark the records from number `from` on, and write them as htsjdk does: once a tag has been set,
 * tags are sorted, and whole numbers have the smallest type. */
GKL_SHIM_API gkl_shim_status gkl_shim_duplicates_mark(
    const gkl_shim_duplicates_records *records, const gkl_shim_duplicates_header *header,
    const gkl_shim_duplicates_texts *texts, const gkl_shim_duplicates_marks *marks, int32_t from,
    gkl_shim_duplicates_output *output, gkl_shim_duplicates_stop *stop);

/* cffi: end */

#ifdef __cplusplus
}
#endif

#endif /* GKL_SHIM_INTERNAL_H */

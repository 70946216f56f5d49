/*
 * gkl_shim.h - the C interface of gkl-shim. This header is the manual.
 *
 * Conventions that hold for every function:
 *   - Functions that can fail return a gkl_shim_status. GKL_SHIM_OK is 0. After any other value,
 *     gkl_shim_last_error() says what was wrong and at which index, for the calling thread.
 *   - A null pointer where a handle, a struct, an output or data is needed is refused with
 *     GKL_SHIM_EINVAL. So is a count or size that is less than 0, and a count or size of data that
 *     is larger than any memory. A limit, and the room that an output has, may be larger. Given a
 *     null handle, functions that return no status return 0 or "". Other wrong pointers cannot be
 *     recognized.
 *   - Functions that open, make or find something set their output to NULL on failure.
 *     gkl_shim_<algorithm>_open(), except mem's, takes NULL for options of all zeros. A function
 *     _close() takes NULL. A function _build() returns the handle's build: "portable", "avx2",
 *     "avx512" or "neon".
 *   - Sequences are ragged arrays: one contiguous byte buffer and an array of int64 offsets, with
 *     one more entry than there are sequences. Sequence k is [offsets[k], offsets[k+1]). Offsets
 *     start at 0 and never decrease.
 *   - Arguments are read only during the call, unless the function's comment says otherwise, and
 *     only those documented as outputs are written.
 *   - Every function may be called from any thread, and several threads may use one handle at the
 *     same time, unless the handle's comment says otherwise. When a handle is closed, no other
 *     thread may be using it.
 *   - No function throws, exits or aborts. Running out of memory returns GKL_SHIM_ENOMEM; a failure
 *     that no other status describes returns GKL_SHIM_EINTERNAL.
 *   - Results do not depend on the calling thread's floating-point mode (rounding, subnormal
 *     numbers, traps). A call leaves the mode and the exception flags as it found them.
 *
 * Names: gkl_shim_<algorithm>_ belongs to one algorithm; all algorithms share the others.
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

/* cffi: begin (cmake/abi.py reads the declarations between the two marks) */

/* ---- All algorithms ------------------------------------------------------------------------- */

typedef enum {
    GKL_SHIM_OK = 0,
    GKL_SHIM_EINVAL = 1,       /* a wrong argument; the message names it and its index */
    GKL_SHIM_ENOMEM = 2,       /* out of memory; the handle stays usable, except a k-mer counter */
    GKL_SHIM_EUNAVAILABLE = 3, /* a build that this CPU cannot run or this library lacks */
    GKL_SHIM_EINTERNAL = 4     /* any other failure; as for GKL_SHIM_ENOMEM */
} gkl_shim_status;

/* The library's version, "major.minor.patch". */
GKL_SHIM_API const char *gkl_shim_version(void);

/* The calling thread's last error message, or "" if there was none. Valid until the thread's next
 * failing call. Never NULL. */
GKL_SHIM_API const char *gkl_shim_last_error(void);

/* The number of CPUs this process may use: the minimum of the machine's CPUs, the affinity mask and
 * the control group's quota (rounded up). At least 1. */
GKL_SHIM_API int32_t gkl_shim_cpu_count(void);

/* The builds in this library that this CPU can run, fastest first, separated by spaces: for example
 * "avx512 avx2 portable". */
GKL_SHIM_API const char *gkl_shim_builds(void);

/* ---- GPUs ----------------------------------------------------------------------------------- */

/* The GPUs of one algorithm. gkl_shim_<algorithm>_cuda_engine_open() opens them. A call that is
 * given an engine computes there, with the results of the CPU. A GPU that fails is not used again,
 * and the others, or where it is said the CPU, do its work. PairHMM opens its own GPUs, as
 * gkl_shim_pairhmm_options describes it.
 *
 * CuPy opens the GPUs, in Python, as for GKL_SHIM_CUDA, but in the caller's thread, which waits.
 * `devices` are their numbers, such as "0,1". NULL or "" means those of the environment variable
 * GKL_SHIM_DEVICES, or without it all. GKL_SHIM_EUNAVAILABLE: there is no GPU that can be used;
 * gkl_shim_last_error() says why. What Python has opened for an engine, its contexts and kernels,
 * stays until the process ends. */
typedef struct gkl_shim_cuda_engine gkl_shim_cuda_engine;

/* Why a failed GPU is no longer used: a line that stays valid as long as the engine. *number
 * becomes the GPU's number. Only the first caller after a failure gets it; NULL if there is nothing
 * new. */
GKL_SHIM_API const char *gkl_shim_cuda_engine_next_loss(gkl_shim_cuda_engine *engine,
                                                        int32_t *number);

/* Whether the GPU with that number is in use, or with -1 whether any GPU is. */
GKL_SHIM_API int32_t gkl_shim_cuda_engine_uses(const gkl_shim_cuda_engine *engine, int32_t number);

GKL_SHIM_API void gkl_shim_cuda_engine_close(gkl_shim_cuda_engine *engine);

/* ---- PairHMM: log10 likelihood of a read given a haplotype ---------------------------------- */

enum {
    /* Single precision, within 1e-5 of the exact log10 likelihood, or within 6e-8 a base if that is
     * more, and with GKL_SHIM_AS_GKL another 2^-18, for haplotypes of up to 2,048 letters. Longer
     * ones may add 3e-9 a letter. A pair whose likelihood leaves single precision's range,
     * and every read longer than 1,024 bases, is computed in double precision. GATK asks for this
     * by default. */
    GKL_SHIM_SINGLE = 0,
    /* Double precision throughout, within 1e-8. */
    GKL_SHIM_DOUBLE = 1
};

enum {
    /* Letters other than ACGTN, in either case, are an error. A likelihood is -Infinity only if the
     * model itself gives zero (for example a base quality of 0 against the only possible letter).
     */
    GKL_SHIM_STRICT = 0,
    /* Like Intel's GKL, as a drop-in replacement for it: every byte other than upper-case ACGTN
     * counts as A. A likelihood below double precision's range (about 1e-614) is -Infinity. The
     * results are rounded as GKL's: in single precision to multiples of 2^-19 or 2^-18; in double
     * precision, and for likelihoods below about 1e-64, to multiples of 2^-46. */
    GKL_SHIM_AS_GKL = 1
};

enum {
    GKL_SHIM_CPU = 0,
    /* The GPU if a working one is found, otherwise the CPU, with one warning on standard error.
     *
     * CuPy opens the GPU engine. It runs in the process's own Python if there is one, otherwise in
     * a Python that is started when the first such handle is opened: the one that GKL_SHIM_PYTHON
     * names by an absolute path or a name on the PATH, or python3 on the PATH. The first call waits
     * for it, ten seconds at most; later calls need no Python. gkl-shim runs and loads nothing from
     * the working directory: only absolute entries of PATH and PYTHONPATH count. World-writable
     * programs, libraries and entries of PYTHONPATH are refused. */
    GKL_SHIM_CUDA = 1,
    /* The CPU or the GPU, chosen for each call by estimated time. Never waits for the GPU. The
     * choice does not change the results of a region of up to 16,000 haplotypes: in larger ones,
     * GKL_SHIM_CUDA computes in double precision. */
    GKL_SHIM_AUTO = 2
};

typedef struct {
    int32_t threads;     /* the most threads a call may use, including the caller's; 0: one for each
                            CPU the process may use. A larger number is reduced to that. */
    int32_t precision;   /* GKL_SHIM_SINGLE or GKL_SHIM_DOUBLE */
    int32_t conventions; /* GKL_SHIM_STRICT or GKL_SHIM_AS_GKL */
    const char *build;   /* "portable", "avx2", "avx512" or "neon"; NULL: the fastest. All builds
                            give the same bits. */
    int32_t backend;     /* GKL_SHIM_CPU, GKL_SHIM_CUDA or GKL_SHIM_AUTO */
} gkl_shim_pairhmm_options;

/* Limits of a batch. There may be any number of regions, reads and haplotypes. */
enum {
    GKL_SHIM_PAIRHMM_LONGEST_READ = 1 << 20,      /* bases of one read */
    GKL_SHIM_PAIRHMM_LONGEST_HAPLOTYPE = 1 << 26, /* letters of one haplotype */
    GKL_SHIM_PAIRHMM_REGION_LETTERS = 1 << 28     /* letters of all haplotypes of one region */
};

/* A batch of regions. Every read of a region is computed against every haplotype of that region.
 *
 * Qualities are Phred scores, one byte a base. The top bit is ignored, as in GKL. */
typedef struct {
    int64_t regions;                   /* the number of regions; may be 0 */
    const int64_t *region_reads;       /* regions+1 offsets: region g has the reads
                                          [region_reads[g], region_reads[g+1]) */
    const int64_t *region_haplotypes;  /* regions+1 offsets, likewise */
    const int64_t *read_offsets;       /* reads+1 offsets into the next five arrays */
    const uint8_t *read_bases;         /* letters */
    const uint8_t *base_quals;         /* base qualities */
    const uint8_t *insertion_quals;    /* insertion gap-open qualities */
    const uint8_t *deletion_quals;     /* deletion gap-open qualities */
    const uint8_t *continuation_quals; /* gap-continuation qualities */
    const int64_t *haplotype_offsets;  /* haplotypes+1 offsets into haplotype_bases */
    const uint8_t *haplotype_bases;    /* letters */
} gkl_shim_pairhmm_batch;

/* What a handle has done since it was opened: all threads, CPU and GPU together. */
typedef struct {
    int64_t regions;        /* regions computed */
    int64_t pairs;          /* read-haplotype pairs */
    int64_t cells;          /* the sum over pairs of read length x haplotype length */
    int64_t computed_cells; /* the cells that remained after sharing the haplotypes' common prefixes
                               and suffixes. A pair that is computed twice counts once. */
    int64_t rescued_pairs;  /* pairs requested in single precision but computed in double precision:
                               the same number on CPU and GPU */
    int64_t rescaled_pairs; /* pairs that leave double precision's range: computed on the CPU, with
                               rescaling */
    int64_t cuda_pairs;     /* pairs whose result a GPU computed */
    double seconds;         /* the sum over calls of the time in gkl_shim_pairhmm_compute() */
} gkl_shim_pairhmm_stats;

typedef struct gkl_shim_pairhmm gkl_shim_pairhmm;

/* Opening is cheap: all handles share the process's threads, which sleep while there is no work. */
GKL_SHIM_API gkl_shim_status gkl_shim_pairhmm_open(const gkl_shim_pairhmm_options *options,
                                                   gkl_shim_pairhmm **handle);

/* Compute every pair of every region. `log10_likelihoods` receives the values of one region after
 * another: reads x haplotypes values each, in read-major order. `size` is the array's length and
 * must be at least the number of pairs; elements beyond that are not written.
 *
 * In addition to the batch and the output, the CPU engine takes at most 192 MiB, and 128 MiB for
 * each thread, even for the largest batch. An ordinary region takes a few MiB.
 *
 * GKL_SHIM_EINVAL: a null pointer where there is data, offsets that do not start at 0 or that
 * decrease, a read or haplotype of length 0, more letters than the limits above, a letter that the
 * handle's conventions refuse, or a `size` that is too small. Nothing is written then. After
 * GKL_SHIM_ENOMEM the output is undefined. */
GKL_SHIM_API gkl_shim_status gkl_shim_pairhmm_compute(gkl_shim_pairhmm *handle,
                                                      const gkl_shim_pairhmm_batch *batch,
                                                      double *log10_likelihoods, int64_t size);

/* Check a batch's offsets against the limits, as gkl_shim_pairhmm_compute() does. Reads no base and
 * no quality. Returns GKL_SHIM_EINVAL if the batch would be refused. */
GKL_SHIM_API gkl_shim_status gkl_shim_pairhmm_check(const gkl_shim_pairhmm_batch *batch);

GKL_SHIM_API const char *gkl_shim_pairhmm_build(const gkl_shim_pairhmm *handle);

GKL_SHIM_API gkl_shim_status gkl_shim_pairhmm_statistics(const gkl_shim_pairhmm *handle,
                                                         gkl_shim_pairhmm_stats *stats);

GKL_SHIM_API void gkl_shim_pairhmm_close(gkl_shim_pairhmm *handle);

/* One line about PairHMM's GPU engine in this process: the devices in use, or why there are none.
 * Valid until the thread's next call of this function. */
GKL_SHIM_API const char *gkl_shim_pairhmm_cuda_state(void);

/* ---- PairHMM: text -------------------------------------------------------------------------- */

enum {
    /* The longest line that gkl_shim_pairhmm_format() writes, newline included. */
    GKL_SHIM_PAIRHMM_LINE_BYTES = 25
};

/* What gkl_shim_pairhmm_parse() found. */
typedef struct {
    gkl_shim_pairhmm_batch batch; /* the text's complete regions, in the caller's arrays */
    int64_t lines, used; /* the lines and bytes up to the end of the last complete region */
    /* If the text ends within a region: that region's first line, counted from 0, and how many of
     * its reads and haplotypes are missing. Otherwise `unfinished` is -1. */
    int64_t unfinished, missing_reads, missing_haplotypes;
} gkl_shim_pairhmm_text;

/* Parse regions from text in the .in format. A region is a line with its numbers of reads and
 * haplotypes; a line for each read with its bases and its base, insertion, deletion and
 * continuation qualities (Phred + 33: bytes 33 to 160); and a line for each haplotype with its
 * letters. White space separates fields. Blank lines before a region are skipped. A line has at
 * most `longest_line` bytes, and the limits of a batch hold.
 *
 * The batch's arrays lie in `offsets`, which must hold 2 * lines + 4 elements, and in `letters`,
 * which must hold as many bytes as the text's complete lines. If the text ends within a region,
 * that region is checked but not returned; pass it again, from its start, with more text. `threads`
 * is as in gkl_shim_pairhmm_options.
 *
 * GKL_SHIM_EINVAL: the line after the first out->lines lines is malformed; gkl_shim_last_error()
 * says how. */
GKL_SHIM_API gkl_shim_status gkl_shim_pairhmm_parse(const uint8_t *text, int64_t size,
                                                    int64_t longest_line, int32_t threads,
                                                    int64_t *offsets, uint8_t *letters,
                                                    gkl_shim_pairhmm_text *out);

/* Write one value a line, with the fewest digits that read back as the same number, in the form of
 * Python's repr(). `text` must hold GKL_SHIM_PAIRHMM_LINE_BYTES bytes a value; *size becomes the
 * number of bytes written. */
GKL_SHIM_API gkl_shim_status gkl_shim_pairhmm_format(const double *values, int64_t count,
                                                     int32_t threads, uint8_t *text, int64_t *size);

/* ---- PDHMM: log10 likelihood of a read given a partially determined haplotype --------------- */

/* The flags of a letter of a partially determined haplotype, as in GATK's
 * PartiallyDeterminedHaplotype. A deletion is the columns from one with _DELETION_START to one with
 * _DELETION_END: they may be absent. One column may have both. */
enum {
    GKL_SHIM_PDHMM_SNP = 1, /* the bases that follow match there too */
    GKL_SHIM_PDHMM_DELETION_START = 2,
    GKL_SHIM_PDHMM_DELETION_END = 4,
    GKL_SHIM_PDHMM_A = 8,
    GKL_SHIM_PDHMM_C = 16,
    GKL_SHIM_PDHMM_G = 32,
    GKL_SHIM_PDHMM_T = 64,
    GKL_SHIM_PDHMM_N = 128 /* changes no likelihood, as in GATK */
};

typedef struct {
    int32_t threads; /* as in gkl_shim_pairhmm_options */
    /* GKL_SHIM_STRICT: letters other than ACGTN, in either case, are an error; so are the flags of
     * bases without SNP, and SNP without one. A likelihood is -Infinity only if the model itself
     * gives zero.
     * GKL_SHIM_AS_GKL: like GATK's class in Java. A base matches the same byte, N matches all, and
     * a likelihood below double precision's range (about 1e-630) is -Infinity. Intel's GKL computes
     * other values for what GATK never asks: a haplotype that ends inside a deletion after an
     * earlier one, and a read's letter other than ACGTN at a base with SNP. */
    int32_t conventions;
    const char *build; /* as in gkl_shim_pairhmm_options; all builds give the same bits */
} gkl_shim_pdhmm_options;

/* Limits of a batch, beside those of a gkl_shim_pairhmm_batch. */
enum {
    GKL_SHIM_PDHMM_LONGEST_READ = 1 << 15,      /* bases of one read */
    GKL_SHIM_PDHMM_LONGEST_HAPLOTYPE = 1 << 18, /* letters of one haplotype */
    GKL_SHIM_PDHMM_REGION_LETTERS = 1 << 24     /* letters of all haplotypes of one region */
};

/* PairHMM's batch of regions, with the haplotypes' flags. Gap-open and gap-continuation qualities
 * are less than 128; all eight bits of a base quality count. */
typedef struct {
    gkl_shim_pairhmm_batch pairs;
    const uint8_t *haplotype_flags; /* of each letter in pairs.haplotype_bases */
} gkl_shim_pdhmm_batch;

/* What a handle has done since it was opened, all threads together. */
typedef struct {
    int64_t regions;        /* regions computed */
    int64_t pairs;          /* read-haplotype pairs */
    int64_t cells;          /* the sum over pairs of read length x haplotype length */
    int64_t computed_cells; /* the cells that remained after sharing common columns */
    int64_t rescued_pairs;  /* pairs computed a second time, with the plain recurrence */
    double seconds;         /* the sum over calls of the time in gkl_shim_pdhmm_compute() */
} gkl_shim_pdhmm_stats;

typedef struct gkl_shim_pdhmm gkl_shim_pdhmm;

GKL_SHIM_API gkl_shim_status gkl_shim_pdhmm_open(const gkl_shim_pdhmm_options *options,
                                                 gkl_shim_pdhmm **handle);

/* Compute every pair of every region, in double precision, within 1e-8 of the model. The arguments,
 * the order of the values and the errors are those of gkl_shim_pairhmm_compute(). */
GKL_SHIM_API gkl_shim_status gkl_shim_pdhmm_compute(gkl_shim_pdhmm *handle,
                                                    const gkl_shim_pdhmm_batch *batch,
                                                    double *log10_likelihoods, int64_t size);

/* Check a batch's offsets against the limits, as gkl_shim_pdhmm_compute() does. Reads no base, no
 * quality and no flag. Returns GKL_SHIM_EINVAL if the batch would be refused. */
GKL_SHIM_API gkl_shim_status gkl_shim_pdhmm_check(const gkl_shim_pdhmm_batch *batch);

GKL_SHIM_API const char *gkl_shim_pdhmm_build(const gkl_shim_pdhmm *handle);

GKL_SHIM_API gkl_shim_status gkl_shim_pdhmm_statistics(const gkl_shim_pdhmm *handle,
                                                       gkl_shim_pdhmm_stats *stats);

GKL_SHIM_API void gkl_shim_pdhmm_close(gkl_shim_pdhmm *handle);

/* What gkl_shim_pdhmm_parse() found. */
typedef struct {
    gkl_shim_pairhmm_text text;
    const uint8_t *haplotype_flags; /* of each letter in text.batch.haplotype_bases */
} gkl_shim_pdhmm_text;

/* Parse regions as gkl_shim_pairhmm_parse() does, with PDHMM's limits. A haplotype's line has a
 * second field, the flags of its letters: two hexadecimal digits a letter. They also lie in
 * `letters`. GKL_SHIM_EINVAL also: flags that GKL_SHIM_STRICT refuses. */
GKL_SHIM_API gkl_shim_status gkl_shim_pdhmm_parse(const uint8_t *text, int64_t size,
                                                  int64_t longest_line, int32_t threads,
                                                  int64_t *offsets, uint8_t *letters,
                                                  gkl_shim_pdhmm_text *out);

/* ---- prefilter: is a read within a number of edits of a segment of the reference? ----------- */

enum {
    /* The exact edit distance. */
    GKL_SHIM_PREFILTER_EXACT = 0,
    /* GateKeeper-GPU's estimate (arXiv:2103.14978), as its authors' program computes it, for
     * comparison. Reads and segments must have equal lengths, and the mode must be global. */
    GKL_SHIM_PREFILTER_GATEKEEPER = 1
};

enum {
    GKL_SHIM_PREFILTER_GLOBAL = 0, /* the whole read against the whole segment */
    GKL_SHIM_PREFILTER_INFIX = 1,  /* the whole read against any part of the segment */
    GKL_SHIM_PREFILTER_PREFIX = 2  /* the whole read against any prefix of the segment */
};

/* Limits. */
enum {
    GKL_SHIM_PREFILTER_MAX_LENGTH = 10000, /* bases of a sequence */
    GKL_SHIM_PREFILTER_MAX_EDITS = 255,
    GKL_SHIM_PREFILTER_LINE_BYTES = 13 /* of a line that gkl_shim_prefilter_format() writes */
};

/* Results that are not a number of edits. */
enum {
    GKL_SHIM_PREFILTER_ABOVE = -1,    /* more than max_edits edits */
    GKL_SHIM_PREFILTER_UNDEFINED = -2 /* a letter other than ACGT, in either case */
};

typedef struct {
    int32_t threads;   /* as in gkl_shim_pairhmm_options */
    int32_t method;    /* GKL_SHIM_PREFILTER_EXACT or _GATEKEEPER */
    int32_t mode;      /* GKL_SHIM_PREFILTER_GLOBAL, _INFIX or _PREFIX */
    int32_t max_edits; /* 0 to GKL_SHIM_PREFILTER_MAX_EDITS */
    const char *build; /* as in gkl_shim_pairhmm_options; all builds give the same results */
} gkl_shim_prefilter_options;

/* One sequence a pair, anywhere in one buffer; sequences may overlap. Each has 1 to
 * GKL_SHIM_PREFILTER_MAX_LENGTH bases; segments may have 2 * GKL_SHIM_PREFILTER_MAX_EDITS more if
 * the mode is not GKL_SHIM_PREFILTER_GLOBAL. The buffer holds letters or the bit planes that
 * gkl_shim_prefilter_encode() makes. A sequence may start at any base of either. */
typedef struct {
    const uint8_t *letters; /* NULL if the buffer is bit planes: */
    const uint32_t *low;    /* planes of `size` bits, rounded up to words of 32 */
    const uint32_t *high;
    const uint32_t *undefined; /* NULL: every base is defined */
    int64_t size;              /* bases in the buffer */
    const int64_t *starts;     /* pair k's sequence starts at base starts[k]; NULL: at k * stride */
    int64_t stride;
    const int32_t *lengths; /* pair k's sequence has lengths[k] bases; NULL: `length` bases */
    int32_t length;
} gkl_shim_prefilter_sequences;

typedef struct gkl_shim_prefilter gkl_shim_prefilter;

GKL_SHIM_API gkl_shim_status gkl_shim_prefilter_open(const gkl_shim_prefilter_options *options,
                                                     gkl_shim_prefilter **handle);

/* Set results[k] to pair k's number of edits, GKL_SHIM_PREFILTER_ABOVE or
 * GKL_SHIM_PREFILTER_UNDEFINED. A result depends on its pair only: not on the build, the number of
 * threads or the other pairs.
 *
 * GKL_SHIM_EINVAL: a null pointer where there is data, a length out of range, a sequence that is
 * not within its buffer, or unequal lengths where the method needs equal ones. Nothing is written
 * then. After GKL_SHIM_ENOMEM the results are undefined. */
GKL_SHIM_API gkl_shim_status gkl_shim_prefilter_compute(
    const gkl_shim_prefilter *handle, int64_t pairs, const gkl_shim_prefilter_sequences *reads,
    const gkl_shim_prefilter_sequences *segments, int16_t *results);

GKL_SHIM_API const char *gkl_shim_prefilter_build(const gkl_shim_prefilter *handle);

GKL_SHIM_API void gkl_shim_prefilter_close(gkl_shim_prefilter *handle);

/* Encode letters as bit planes. Base k is bit k % 32 of word k / 32 of each plane: A sets neither
 * `low` nor `high`, C sets `low`, T sets `high`, G sets both. Any other letter sets `undefined`,
 * and then *any_undefined becomes 1, otherwise 0. Each plane has (count + 31) / 32 words; bits
 * beyond the last base are 0. */
GKL_SHIM_API gkl_shim_status gkl_shim_prefilter_encode(const uint8_t *letters, int64_t count,
                                                       int32_t threads, uint32_t *low,
                                                       uint32_t *high, uint32_t *undefined,
                                                       int32_t *any_undefined);

/* ---- prefilter: text ------------------------------------------------------------------------ */

/* Parse lines of the form "read TAB segment": where each field starts in `text`, and its length.
 * Takes complete lines (LF or CR LF), at most `capacity` of them. *pairs becomes their number and
 * *used the number of their bytes. `threads` is as in gkl_shim_prefilter_options.
 *
 * GKL_SHIM_EINVAL: the line after the first *pairs lines is malformed; gkl_shim_last_error() says
 * how. A field has 1 to GKL_SHIM_PREFILTER_MAX_LENGTH letters. */
GKL_SHIM_API gkl_shim_status
gkl_shim_prefilter_parse_pairs(const uint8_t *text, int64_t size, int64_t capacity, int32_t threads,
                               int64_t *read_starts, int32_t *read_lengths, int64_t *segment_starts,
                               int32_t *segment_lengths, int64_t *pairs, int64_t *used);

/* A reference's contigs: the concatenated names and their count + 1 offsets. */
typedef struct {
    int32_t count;
    const char *names;
    const int64_t *name_offsets;
    const int64_t *lengths; /* in bases */
} gkl_shim_prefilter_contigs;

/* Parse lines of the form "read TAB contig TAB position", optionally followed by a TAB and the
 * strand, + or -. Read and position count from 0. `reads` is the number of reads there are. An
 * element of `contig_indices` is a contig's index in `contigs`; an element of `reverse` is 1 for
 * strand -. Otherwise as gkl_shim_prefilter_parse_pairs().
 *
 * GKL_SHIM_EINVAL also: an unknown read or contig, or a position beyond the contig's end. */
GKL_SHIM_API gkl_shim_status gkl_shim_prefilter_parse_candidates(
    const uint8_t *text, int64_t size, int64_t capacity, int32_t threads, int64_t reads,
    const gkl_shim_prefilter_contigs *contigs, int32_t *read_indices, int32_t *contig_indices,
    int64_t *positions, uint8_t *reverse, int64_t *candidates, int64_t *used);

/* Write results as lines "edits TAB verdict". The verdict is pass, reject or undefined; with
 * `reject_undefined`, reject takes the place of undefined. `text` must hold
 * GKL_SHIM_PREFILTER_LINE_BYTES bytes a pair; *size becomes the number of bytes written. */
GKL_SHIM_API gkl_shim_status gkl_shim_prefilter_format(const int16_t *results, int64_t pairs,
                                                       int32_t reject_undefined, uint8_t *text,
                                                       int64_t *size);

/* ---- Smith-Waterman: how a sequence aligns to a reference ----------------------------------- */

/* What happens to letters of the alternative that the reference does not cover. */
enum {
    /* They are clipped (S). */
    GKL_SHIM_SMITHWATERMAN_SOFTCLIP = 0,
    /* Both sequences are aligned from end to end; what is left over is an insertion or deletion. */
    GKL_SHIM_SMITHWATERMAN_INDEL = 1,
    /* As INDEL at the start. At the end, letters of the reference may be left over. */
    GKL_SHIM_SMITHWATERMAN_LEADING_INDEL = 2,
    /* They count as aligned (M), so an offset may be less than 0. */
    GKL_SHIM_SMITHWATERMAN_IGNORE = 3
};

enum {
    /* Letters of one sequence. */
    GKL_SHIM_SMITHWATERMAN_LONGEST = 1 << 18
};

typedef struct {
    int32_t threads;   /* as in gkl_shim_pairhmm_options */
    const char *build; /* as in gkl_shim_pairhmm_options; all builds give the same results */
} gkl_shim_smithwaterman_options;

/* Scores, penalties being negative, and one of GKL_SHIM_SMITHWATERMAN_SOFTCLIP to _IGNORE. Any
 * scores are allowed; ordinary ones, up to some thousands, are the fastest. */
typedef struct {
    int32_t match, mismatch;
    int32_t gap_open;   /* of a gap's first letter */
    int32_t gap_extend; /* of each further letter */
    int32_t overhang;
} gkl_shim_smithwaterman_parameters;

/* Pair k is reference k and alternative k. Letters are compared as bytes. */
typedef struct {
    int64_t pairs;                      /* may be 0 */
    const int64_t *reference_offsets;   /* pairs+1 offsets into references */
    const uint8_t *references;          /* letters */
    const int64_t *alternative_offsets; /* pairs+1 offsets into alternatives */
    const uint8_t *alternatives;        /* letters */
} gkl_shim_smithwaterman_batch;

typedef struct gkl_shim_smithwaterman gkl_shim_smithwaterman;

GKL_SHIM_API gkl_shim_status gkl_shim_smithwaterman_open(
    const gkl_shim_smithwaterman_options *options, gkl_shim_smithwaterman **handle);

/* Align every pair, with the results of GATK's class SmithWatermanJavaAligner for any sequences,
 * scores and overhang strategy. offsets[k] becomes the position in reference k, counted from 0, at
 * which alternative k starts; INDEL and LEADING_INDEL always give 0. Its CIGAR becomes the text
 * [cigar_offsets[k], cigar_offsets[k+1]) of `cigars`; the pairs+1 offsets start at 0.
 *
 * `size` is the length of `cigars`, at least two bytes for each letter of all references and
 * alternatives. All of it may be written to. A call also allocates about 40 bytes a pair, and for
 * each thread less than 1 MiB for sequences of 1,000 letters, and at most 1 GiB for two sequences
 * of the greatest length.
 *
 * GKL_SHIM_EINVAL: a null pointer where there is data, offsets that do not start at 0 or that
 * decrease, a sequence of length 0 or longer than GKL_SHIM_SMITHWATERMAN_LONGEST, an unknown
 * overhang strategy, or a `size` that is too small. Nothing is written then. After GKL_SHIM_ENOMEM
 * the outputs are undefined. */
GKL_SHIM_API gkl_shim_status gkl_shim_smithwaterman_align(
    const gkl_shim_smithwaterman *handle, const gkl_shim_smithwaterman_batch *batch,
    const gkl_shim_smithwaterman_parameters *parameters, int64_t *offsets, int64_t *cigar_offsets,
    char *cigars, int64_t size);

GKL_SHIM_API const char *gkl_shim_smithwaterman_build(const gkl_shim_smithwaterman *handle);

GKL_SHIM_API void gkl_shim_smithwaterman_close(gkl_shim_smithwaterman *handle);

enum {
    /* The longest line that gkl_shim_smithwaterman_format() writes, newline included, without its
     * CIGAR. */
    GKL_SHIM_SMITHWATERMAN_LINE_BYTES = 22
};

/* Parse lines of the form "reference TAB alternative". Two more fields may follow: the four scores,
 * such as 200,-150,-260,-11, and softclip, indel, leading_indel or ignore, in either case. Without
 * them, the pair has those of `defaults`. Takes complete lines (LF or CR LF), at most `capacity` of
 * them. batch->pairs becomes their number, and *used the number of their bytes. `threads` is as in
 * gkl_shim_smithwaterman_options.
 *
 * The batch's arrays lie in `offsets`, which must hold 2 * capacity + 2 elements, and in `letters`,
 * which must hold `size` bytes. parameters[k] becomes those of pair k.
 *
 * GKL_SHIM_EINVAL: the line after the first batch->pairs lines is malformed; gkl_shim_last_error()
 * says how. A sequence has 1 to GKL_SHIM_SMITHWATERMAN_LONGEST letters, each a printable ASCII
 * character other than a space. */
GKL_SHIM_API gkl_shim_status
gkl_shim_smithwaterman_parse(const uint8_t *text, int64_t size, int64_t capacity, int32_t threads,
                             const gkl_shim_smithwaterman_parameters *defaults,
                             gkl_shim_smithwaterman_parameters *parameters, int64_t *offsets,
                             uint8_t *letters, gkl_shim_smithwaterman_batch *batch, int64_t *used);

/* Write alignments, as gkl_shim_smithwaterman_align() returns them, as lines "offset TAB CIGAR".
 * `text` must hold GKL_SHIM_SMITHWATERMAN_LINE_BYTES bytes a pair and the CIGARs; *size becomes the
 * number of bytes written. */
GKL_SHIM_API gkl_shim_status gkl_shim_smithwaterman_format(int64_t pairs, const int64_t *offsets,
                                                           const int64_t *cigar_offsets,
                                                           const char *cigars, int32_t threads,
                                                           uint8_t *text, int64_t *size);

/* ---- mem: maximal exact matches ------------------------------------------------------------- */

/* Which matches gkl_shim_mem_find() returns. A match is a part of a query that equals a part of the
 * reference, and cannot be extended at either end. */
enum {
    GKL_SHIM_MEM_ALL = 0,          /* all */
    GKL_SHIM_MEM_MUMREFERENCE = 1, /* those whose letters occur once in the reference */
    GKL_SHIM_MEM_MUM = 2           /* and once in the strand of the query */
};

enum { GKL_SHIM_MEM_FORWARD = 1, GKL_SHIM_MEM_REVERSE = 2, GKL_SHIM_MEM_BOTH = 3 };

/* Sequences. A letter is any byte; upper and lower case are equal. Bytes from 0xFC on match
 * nothing. The reverse complement of a letter other than an IUPAC code is n, as in mummer. */
typedef struct {
    int64_t count;
    const int64_t *offsets; /* count + 1 */
    const uint8_t *letters;
} gkl_shim_mem_sequences;

typedef struct {
    int32_t threads;          /* as in gkl_shim_pairhmm_options */
    int32_t nucleotides_only; /* not 0: letters other than acgt match nothing */
    int64_t min_length;       /* of the matches that can be found, at least 1 */
    int64_t page_letters;     /* the reference is indexed in pages of at most this many letters; 0:
                                 as large as `memory` allows */
    int64_t memory; /* for pages, in bytes, about; 0: 8 GiB. If not all pages fit, each search
                       builds them one after another. */
    int64_t query_letters; /* that will be searched, about, each strand counted; 0: unknown. Affects
                              the speed alone. */
    int32_t deferred;      /* not 0: the first search on the CPU builds the pages */
    int32_t borrowed;      /* not 0: the reference's letters are not copied before they are needed.
                              Its arrays must stay valid and unchanged until the index is closed. */
} gkl_shim_mem_options;

/* An index of a reference. */
typedef struct gkl_shim_mem gkl_shim_mem;

/* Index a reference. Its letters are copied, unless they are borrowed.
 *
 * GKL_SHIM_EINVAL: an option out of range, a null pointer where there is data, or offsets that do
 * not start at 0 or that decrease. */
GKL_SHIM_API gkl_shim_status gkl_shim_mem_open(const gkl_shim_mem_options *options,
                                               const gkl_shim_mem_sequences *reference,
                                               gkl_shim_mem **index);

/* What an index consists of. */
typedef struct {
    int64_t min_length;
    int64_t sequences, letters; /* of the reference */
    int64_t pages, page_letters;
    int64_t bytes;          /* memory of the pages that are kept, or of one page, about */
    int32_t resident;       /* whether all pages are kept */
    int32_t seed_letters;   /* letters of a seed */
    int32_t reference_step; /* a seed at each such position of the reference is indexed */
    int32_t nucleotides_only;
} gkl_shim_mem_info;

GKL_SHIM_API gkl_shim_status gkl_shim_mem_information(const gkl_shim_mem *index,
                                                      gkl_shim_mem_info *info);

/* A piece of a saved index. */
typedef struct {
    const uint8_t *bytes;
    int64_t size;
} gkl_shim_mem_piece;

/* The pieces whose bytes, one after another, gkl_shim_mem_load() reads. They are valid while the
 * index is open. Sets the first `capacity` pieces, and *count to the number of all. */
GKL_SHIM_API gkl_shim_status gkl_shim_mem_save(const gkl_shim_mem *index,
                                               gkl_shim_mem_piece *pieces, int64_t capacity,
                                               int64_t *count);

/* Open a saved index. `threads` is as in gkl_shim_mem_options.
 *
 * GKL_SHIM_EINVAL: the bytes are not those of an index that this version saved. */
GKL_SHIM_API gkl_shim_status gkl_shim_mem_load(const uint8_t *bytes, int64_t size, int32_t threads,
                                               gkl_shim_mem **index);

/* Set *same to whether an index was made from this reference: 1 or 0. */
GKL_SHIM_API gkl_shim_status gkl_shim_mem_is_of(const gkl_shim_mem *index,
                                                const gkl_shim_mem_sequences *reference,
                                                int32_t *same);

/* The process keeps up to 1 GiB of the memory that closed indexes, matches and texts had, for later
 * calls. */
GKL_SHIM_API void gkl_shim_mem_close(gkl_shim_mem *index);

typedef struct {
    int64_t min_length; /* at least the index's */
    int32_t kind;       /* GKL_SHIM_MEM_ALL, _MUMREFERENCE or _MUM */
    int32_t strands;    /* GKL_SHIM_MEM_FORWARD, _REVERSE or _BOTH */
    /* A part of a search for all matches of one query and one strand: those that start at position
     * `first` of the strand or after it. The part ends where it has about `most` matches, and at
     * the latest before position `last`; gkl_shim_mem_end() tells where. All 0: no part. */
    int64_t first, last, most;
    gkl_shim_cuda_engine *engine; /* of gkl_shim_mem_cuda_engine_open(); NULL: the CPU searches */
} gkl_shim_mem_search;

typedef struct {
    int64_t reference_start; /* in its sequence */
    int64_t query_start;     /* in the query, or in its reverse complement */
    int64_t length;
    int32_t reference, query; /* the sequences */
    int32_t reverse;          /* 1: the match is with the reverse complement of the query */
    int32_t unused;
} gkl_shim_mem_match;

/* The matches of a search, which the library keeps. */
typedef struct gkl_shim_mem_matches gkl_shim_mem_matches;

/* Open GPUs for searches. They index the reference themselves, so the index may be deferred. */
GKL_SHIM_API gkl_shim_status gkl_shim_mem_cuda_engine_open(const char *devices,
                                                           gkl_shim_cuda_engine **engine);

/* Find the matches of queries. They are in the order of the queries, then forward before reverse,
 * then by position in the query and in the reference; those of GKL_SHIM_MEM_MUM by position in the
 * reference. GKL_SHIM_EINVAL is as in gkl_shim_mem_open().
 * GKL_SHIM_EUNAVAILABLE: all GPUs have failed; search again without the engine. */
GKL_SHIM_API gkl_shim_status gkl_shim_mem_find(const gkl_shim_mem *index,
                                               const gkl_shim_mem_sequences *queries,
                                               const gkl_shim_mem_search *search,
                                               gkl_shim_mem_matches **matches);

GKL_SHIM_API int64_t gkl_shim_mem_count(const gkl_shim_mem_matches *matches);

/* The position before which all matches of a part start: `first` of the next part. */
GKL_SHIM_API int64_t gkl_shim_mem_end(const gkl_shim_mem_matches *matches);

/* Copy all matches: gkl_shim_mem_count() of them. */
GKL_SHIM_API gkl_shim_status gkl_shim_mem_copy(const gkl_shim_mem_matches *matches,
                                               gkl_shim_mem_match *out);

/* The index must still be open. */
GKL_SHIM_API void gkl_shim_mem_matches_close(gkl_shim_mem_matches *matches);

/* ---- mem: text ------------------------------------------------------------------------------ */

/* The sequences of a text in FASTA, which the library keeps. */
typedef struct gkl_shim_mem_fasta gkl_shim_mem_fasta;

/* Parse FASTA as mummer does. A ">" begins a description wherever it stands in a sequence. A name
 * reaches to the first white space. All other bytes of a sequence but white space are letters.
 * Letters before the first description belong to the first sequence. */
GKL_SHIM_API gkl_shim_status gkl_shim_mem_parse(const uint8_t *text, int64_t size, int32_t threads,
                                                gkl_shim_mem_fasta **fasta);

/* The sequences, and their names as ragged arrays of the same count. Valid until the close. */
GKL_SHIM_API gkl_shim_status gkl_shim_mem_fasta_sequences(const gkl_shim_mem_fasta *fasta,
                                                          gkl_shim_mem_sequences *sequences,
                                                          gkl_shim_mem_sequences *names);

GKL_SHIM_API void gkl_shim_mem_fasta_close(gkl_shim_mem_fasta *fasta);

typedef struct {
    const gkl_shim_mem_sequences *reference_names, *query_names;
    int32_t four_columns;       /* the reference's name even if it has one sequence */
    int32_t lengths;            /* the query's length in its header */
    int32_t original_positions; /* of reverse matches, relative to the query as it was given */
    int32_t substrings;         /* write the letters of each match on a separate line */
    int32_t continued;          /* without the headers, which were written before an earlier part */
} gkl_shim_mem_format;

/* Writes matches as mummer's lines, a part at a time. One thread at a time may use it. */
typedef struct gkl_shim_mem_lines gkl_shim_mem_lines;

/* The matches, their index, and the names' offsets and letters must outlive it. */
GKL_SHIM_API gkl_shim_status gkl_shim_mem_lines_open(const gkl_shim_mem_matches *matches,
                                                     const gkl_shim_mem_format *format,
                                                     gkl_shim_mem_lines **lines);

/* Set the next lines, which are valid until the next call. *size is 0 after the last ones. */
GKL_SHIM_API gkl_shim_status gkl_shim_mem_lines_next(gkl_shim_mem_lines *lines,
                                                     const uint8_t **text, int64_t *size);

GKL_SHIM_API void gkl_shim_mem_lines_close(gkl_shim_mem_lines *lines);

/* ---- Read correction: errors in short reads, found by rare k-mers ---------------------------- */

enum {
    /* The least and the greatest k. */
    GKL_SHIM_CORRECT_LEAST_K = 11,
    GKL_SHIM_CORRECT_MOST_K = 31,
    /* Numbers in a histogram. */
    GKL_SHIM_CORRECT_COUNTS = 255
};

enum {
    /* The most likely changes that make the read's k-mers solid, by their number and qualities. */
    GKL_SHIM_CORRECT_SEARCH = 0,
    /* CUDA-EC's loop: the change that makes the most k-mers solid, until all are. It takes longer
     * and corrects less well. */
    GKL_SHIM_CORRECT_VOTING = 1
};

/* What became of a read. */
enum {
    GKL_SHIM_CORRECT_SOLID = 0,     /* unchanged: k-mers that cover all its bases are solid */
    GKL_SHIM_CORRECT_CORRECTED = 1, /* changed: all its k-mers are solid now */
    /* Some k-mers are still weak. Stretches that could be made solid are corrected, unless
     * `all_or_nothing` is set; the others are unchanged. */
    GKL_SHIM_CORRECT_UNSOLVED = 2,
    GKL_SHIM_CORRECT_SHORT = 3 /* shorter than k */
};

/* Reads as a ragged array. Letters are ACGTN in either case. */
typedef struct {
    int64_t reads;          /* may be 0 */
    const int64_t *offsets; /* reads+1 offsets into letters */
    const uint8_t *letters;
    /* One for each letter, as FASTQ has it: the Phred score plus 33. NULL if there are none. */
    const uint8_t *qualities;
} gkl_shim_correct_batch;

/* A counter of k-mers. Its calls may not overlap. After gkl_shim_correct_count() or
 * gkl_shim_correct_end_pass() returned GKL_SHIM_ENOMEM or GKL_SHIM_EINTERNAL, later calls
 * of both return GKL_SHIM_EINVAL: then close it, and open another. */
typedef struct gkl_shim_correct_counter gkl_shim_correct_counter;

/* Open GPUs for counters and for gkl_shim_correct_reads(). */
GKL_SHIM_API gkl_shim_status gkl_shim_correct_cuda_engine_open(const char *devices,
                                                               gkl_shim_cuda_engine **engine);

/* Open a counter. `threads` is as in gkl_shim_pairhmm_options. `memory_bytes` is the most memory
 * for tables of counts; 0 means no limit. In addition, a counter takes 128 MiB and 1 MiB for
 * each thread, and 8 bytes for each k-mer that it keeps: those that occur at least `threshold`
 * times, which is 2 to 2047, or 0 for the valley of the histogram. A spectrum may have this
 * threshold or a larger one. With 0, repeated k-mers are kept, too: those that occur at least 3
 * times, and 1/64 as often as the median k-mer. There are at most half as many as solid ones: if
 * there were more, they must occur more often.
 *
 * With an `engine` its GPUs count, and `memory_bytes` is of each GPU; 0 means as much as it has for
 * counting. The counter must be closed before the engine. If a GPU fails,
 * gkl_shim_correct_end_pass() asks for the reads again, and other GPUs or the CPU count what is
 * missing. With NULL the CPU counts. */
GKL_SHIM_API gkl_shim_status gkl_shim_correct_counter_open(int32_t k, int32_t threads,
                                                           int64_t memory_bytes, int32_t threshold,
                                                           gkl_shim_cuda_engine *engine,
                                                           gkl_shim_correct_counter **counter);

/* Count the k-mers of reads. A k-mer with an N does not count. Reads may come in any number of
 * calls. */
GKL_SHIM_API gkl_shim_status gkl_shim_correct_count(gkl_shim_correct_counter *counter,
                                                    const gkl_shim_correct_batch *batch);

/* Call this after all reads. If *complete becomes 0, the memory was too small for all k-mers: pass
 * all reads again, and call this again. The k-mers that were left out are counted then. With a
 * threshold of 0, rarely all are counted again, because the first pass misjudged the valley. */
GKL_SHIM_API gkl_shim_status gkl_shim_correct_end_pass(gkl_shim_correct_counter *counter,
                                                       int32_t *complete);

/* After the last pass: counts[c-1] becomes the number of k-mers that occur c times, for c from 1 to
 * GKL_SHIM_CORRECT_COUNTS; the last number includes those that occur more often. *valley becomes
 * the count between the k-mers of errors and those of the genome, and 2 if there is none. It is at
 * least 1/64 of the median k-mer's count, because an error occurs several times in deep reads. If
 * the median k-mer occurs GKL_SHIM_CORRECT_COUNTS times or more, the mean of the k-mers that do is
 * taken instead. */
GKL_SHIM_API gkl_shim_status gkl_shim_correct_histogram(const gkl_shim_correct_counter *counter,
                                                        int64_t *counts, int32_t *valley);

GKL_SHIM_API void gkl_shim_correct_counter_close(gkl_shim_correct_counter *counter);

/* The solid k-mers: those that occur often. It does not change, and any number of threads may use
 * it. */
typedef struct gkl_shim_correct_spectrum gkl_shim_correct_spectrum;

typedef struct {
    int32_t k;
    int32_t threshold;          /* solid k-mers occur at least this often */
    int64_t kmers;              /* solid k-mers */
    double false_positive_rate; /* the share of absent k-mers that are taken for solid ones */
    uint64_t size;              /* for gkl_shim_correct_spectrum_load() */
    uint64_t slot_count;
    const uint32_t *slots; /* valid as long as the spectrum */
} gkl_shim_correct_spectrum_info;

/* Make a spectrum after the last pass. `threshold` is 2 to 2047, or 0 for the valley. With 0, the
 * spectrum also has the repeated k-mers that the counter has kept. A base whose quality is above
 * the read's mean is not changed if all k-mers that contain it are solid or repeated. This takes
 * the k-mers out of the counter, so that it can be done once. The histogram stays. On failure
 * *spectrum is NULL and the k-mers stay in the counter, so that it can be tried again.
 *
 * GKL_SHIM_EINVAL also: more k-mers are solid than a spectrum has room for, which is 2^32 + 65,535
 * at the most (about 4.29 billion). gkl_shim_last_error() says how many do not fit. With a higher
 * threshold, fewer are solid. */
GKL_SHIM_API gkl_shim_status gkl_shim_correct_spectrum_make(gkl_shim_correct_counter *counter,
                                                            int32_t threshold,
                                                            gkl_shim_correct_spectrum **spectrum);

/* Make a spectrum from what gkl_shim_correct_spectrum_information() returned for another one: its
 * k, threshold, size and slots. The slots are copied. */
GKL_SHIM_API gkl_shim_status gkl_shim_correct_spectrum_load(
    const gkl_shim_correct_spectrum_info *info, gkl_shim_correct_spectrum **spectrum);

GKL_SHIM_API gkl_shim_status gkl_shim_correct_spectrum_information(
    const gkl_shim_correct_spectrum *spectrum, gkl_shim_correct_spectrum_info *info);

GKL_SHIM_API void gkl_shim_correct_spectrum_close(gkl_shim_correct_spectrum *spectrum);

typedef struct {
    int32_t threads;     /* as in gkl_shim_pairhmm_options */
    int32_t method;      /* GKL_SHIM_CORRECT_SEARCH or _VOTING */
    int32_t max_changes; /* of a read; 0 means 2, and one more for every 10 bases */
    /* The most changes within 20 bases; 0 means 4. A base whose quality is above the read's mean
     * counts as two; one whose quality is below 7/8 of the mean, and an N, do not count. */
    int32_t max_window_changes;
    int32_t all_or_nothing; /* if not 0, unsolved reads stay as they were */
    /* Corrects, and the CPU what no GPU does. NULL: the CPU corrects all. */
    gkl_shim_cuda_engine *engine;
} gkl_shim_correct_options;

/* Correct reads. `options` may be NULL, which means all zeros. `corrected` gets all letters; those
 * that are not changed keep their case.
 * states[k] becomes GKL_SHIM_CORRECT_SOLID to _SHORT. The part [begins[k], ends[k]) of read k is
 * what a caller may trim it to: the longest part with solid k-mers alone if the read is unsolved
 * and has one, otherwise the whole read. `begins` and `ends` may be NULL. */
GKL_SHIM_API gkl_shim_status gkl_shim_correct_reads(const gkl_shim_correct_options *options,
                                                    const gkl_shim_correct_spectrum *spectrum,
                                                    const gkl_shim_correct_batch *batch,
                                                    uint8_t *corrected, uint8_t *states,
                                                    int32_t *begins, int32_t *ends);

/* cffi: end */

#ifdef __cplusplus
}
#endif

#endif /* GKL_SHIM_H */

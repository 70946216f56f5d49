/* Prints the alignments of pairs, so that the library can be tried where there is no Python:
 * driver FILE BUILD THREADS
 *
 * A line of FILE is "reference TAB alternative TAB match,mismatch,open,extend TAB strategy". Lines
 * with the same scores and strategy that follow each other are a batch. */
#include "../driver.h"

enum { PAIRS = 1 << 12, BYTES = 1 << 22 };

static uint8_t text[BYTES], letters[BYTES], lines[2 * BYTES];
static char cigars[2 * BYTES];
static gkl_shim_smithwaterman_parameters parameters[PAIRS];
static int64_t ends[2 * PAIRS + 2], offsets[PAIRS], cigar_offsets[PAIRS + 1];

/* The offsets of a run of pairs, from 0 on. */
static const int64_t *from_zero(const int64_t *given, int64_t count, int64_t *moved) {
    for (int64_t k = 0; k <= count; k++) moved[k] = given[k] - given[0];
    return moved;
}

int main(int argc, char **argv) {
    if (argc < 4) return 2;
    const gkl_shim_smithwaterman_options options = {atoi(argv[3]), argv[2]};
    const gkl_shim_smithwaterman_parameters defaults = {0};
    gkl_shim_smithwaterman *aligner;
    gkl_shim_smithwaterman_batch all;
    int64_t used, written, count;
    static int64_t references[PAIRS + 1], alternatives[PAIRS + 1];
    check(gkl_shim_smithwaterman_parse(text, read_file(argv[1], text, sizeof text), PAIRS,
                                       options.threads, &defaults, parameters, ends, letters, &all,
                                       &used));
    check(gkl_shim_smithwaterman_open(&options, &aligner));
    for (int64_t first = 0; first < all.pairs; first += count) {
        const gkl_shim_smithwaterman_parameters *const own = parameters + first;
        for (count = 1; first + count < all.pairs; count++)
            if (memcmp(own, own + count, sizeof *own)) break;
        const int64_t *const r = all.reference_offsets + first;
        const int64_t *const a = all.alternative_offsets + first;
        const gkl_shim_smithwaterman_batch run = {
            count, from_zero(r, count, references), all.references + r[0],
            from_zero(a, count, alternatives), all.alternatives + a[0]};
        check(gkl_shim_smithwaterman_align(aligner, &run, own, offsets, cigar_offsets, cigars,
                                           sizeof cigars));
        check(gkl_shim_smithwaterman_format(count, offsets, cigar_offsets, cigars, options.threads,
                                            lines, &written));
        fwrite(lines, 1, (size_t)written, stdout);
    }
    gkl_shim_smithwaterman_close(aligner);
    return 0;
}

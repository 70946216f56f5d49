/* Prints the alignments of pairs, so that the library can be tried where there is no Python:
 * driver FILE BUILD THREADS
 *
 * A line of FILE is "reference TAB alternative TAB match,mismatch,open,extend TAB strategy". Lines
 * with the same scores and strategy that follow each other are a batch. */
#include "../driver.h"

enum { MAX_PAIRS = 1 << 12, MAX_LETTERS = 1 << 22 };

static uint8_t references[MAX_LETTERS], alternatives[MAX_LETTERS];
static int64_t reference_offsets[MAX_PAIRS + 1], alternative_offsets[MAX_PAIRS + 1];
static int64_t offsets[MAX_PAIRS], cigar_offsets[MAX_PAIRS + 1];
static char cigars[4 * MAX_LETTERS];

static void align(const gkl_shim_smithwaterman *aligner, int64_t pairs,
                  const gkl_shim_smithwaterman_parameters *parameters) {
    const gkl_shim_smithwaterman_batch batch = {pairs, reference_offsets, references,
                                                alternative_offsets, alternatives};
    check(gkl_shim_smithwaterman_align(aligner, &batch, parameters, offsets, cigar_offsets, cigars,
                                       sizeof cigars));
    for (int64_t k = 0; k < pairs; k++)
        printf("%lld\t%.*s\n", (long long)offsets[k],
               (int)(cigar_offsets[k + 1] - cigar_offsets[k]), cigars + cigar_offsets[k]);
}

static int32_t strategy(const char *name) {
    return !strcmp(name, "softclip") ? 0
           : !strcmp(name, "indel")  ? 1
           : !strcmp(name, "ignore") ? 3
                                     : 2;
}

int main(int argc, char **argv) {
    if (argc < 4) return 2;
    FILE *in = opened(argv[1]);
    const gkl_shim_smithwaterman_options options = {atoi(argv[3]), argv[2]};
    gkl_shim_smithwaterman *aligner = NULL;
    check(gkl_shim_smithwaterman_open(&options, &aligner));
    static char reference[MAX_LETTERS / 4], alternative[MAX_LETTERS / 4];
    char name[20];
    gkl_shim_smithwaterman_parameters last = {0}, now = {0};
    int64_t pairs = 0;
    while (fscanf(in, "%1000000s %1000000s %d,%d,%d,%d %19s", reference, alternative, &now.match,
                  &now.mismatch, &now.gap_open, &now.gap_extend, name) == 7) {
        now.overhang = strategy(name);
        const size_t n = strlen(reference), m = strlen(alternative);
        const int full = pairs == MAX_PAIRS || reference_offsets[pairs] + n > MAX_LETTERS ||
                         alternative_offsets[pairs] + m > MAX_LETTERS;
        if (pairs > 0 && (full || memcmp(&last, &now, sizeof now))) {
            align(aligner, pairs, &last);
            pairs = 0;
        }
        last = now;
        memcpy(references + reference_offsets[pairs], reference, n);
        memcpy(alternatives + alternative_offsets[pairs], alternative, m);
        reference_offsets[pairs + 1] = reference_offsets[pairs] + (int64_t)n;
        alternative_offsets[pairs + 1] = alternative_offsets[pairs] + (int64_t)m;
        pairs++;
    }
    align(aligner, pairs, &last);
    gkl_shim_smithwaterman_close(aligner);
    fclose(in);
    return 0;
}

/* Prints the edits of pairs, one a line, so that the library can be tried where there is no Python:
 * driver FILE BUILD METHOD MODE MAX_EDITS THREADS */
#include "../driver.h"

enum { MAX_PAIRS = 1 << 16, MAX_TEXT = 1 << 26 };

static uint8_t text[MAX_TEXT];
static int64_t read_starts[MAX_PAIRS], segment_starts[MAX_PAIRS];
static int32_t read_lengths[MAX_PAIRS], segment_lengths[MAX_PAIRS];
static int16_t results[MAX_PAIRS];

int main(int argc, char **argv) {
    if (argc < 7) return 2;
    const int64_t size = read_file(argv[1], text, MAX_TEXT);
    int64_t pairs = 0, used = 0;
    const int threads = atoi(argv[6]);
    const gkl_shim_prefilter_options options = {
        threads,
        strcmp(argv[3], "gatekeeper") ? GKL_SHIM_PREFILTER_EXACT : GKL_SHIM_PREFILTER_GATEKEEPER,
        strcmp(argv[4], "infix")
            ? strcmp(argv[4], "prefix") ? GKL_SHIM_PREFILTER_GLOBAL : GKL_SHIM_PREFILTER_PREFIX
            : GKL_SHIM_PREFILTER_INFIX,
        atoi(argv[5]), argv[2]};
    gkl_shim_prefilter *prefilter = NULL;
    check(gkl_shim_prefilter_parse_pairs(text, size, MAX_PAIRS, threads, read_starts, read_lengths,
                                         segment_starts, segment_lengths, &pairs, &used));
    check(gkl_shim_prefilter_open(&options, &prefilter));
    const gkl_shim_prefilter_sequences reads = {
        .letters = text, .size = size, .starts = read_starts, .lengths = read_lengths};
    const gkl_shim_prefilter_sequences segments = {
        .letters = text, .size = size, .starts = segment_starts, .lengths = segment_lengths};
    check(gkl_shim_prefilter_compute(prefilter, pairs, &reads, &segments, results));
    for (int64_t k = 0; k < pairs; k++) printf("%d\n", results[k]);
    gkl_shim_prefilter_close(prefilter);
    return 0;
}

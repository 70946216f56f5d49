/* Reads a text with one of the library's readers, and prints its size and in how many bytes the
 * reader searched for another byte: long_line READER FILE THREADS */
#include "../driver.h"
#include "gkl_shim_internal.h"

enum { MOST = 1 << 26 };

static int64_t searched; /* by memchr(), as all threads of the program see it */

void *memchr(const void *from, int byte, size_t size) {
    const unsigned char *const bytes = from;
    size_t at = 0;
    while (at < size && bytes[at] != (unsigned char)byte) at++;
    __atomic_add_fetch(&searched, (int64_t)at, __ATOMIC_RELAXED);
    return at < size ? (void *)(bytes + at) : NULL;
}

static uint8_t text[MOST], letters[MOST];
static int64_t offsets[2][1 << 10];
static int32_t lengths[2][1 << 10];
static int64_t found, used;

/* A line that is longer than a reader allows is an error, which does not matter here. */
static void read_text(const char *reader, int64_t size, int32_t threads) {
    if (!strcmp(reader, "mem")) {
        gkl_shim_mem_fasta *fasta;
        check(gkl_shim_mem_parse(text, size, threads, &fasta));
        gkl_shim_mem_fasta_close(fasta);
    } else if (!strcmp(reader, "correct")) {
        gkl_shim_correct_chunk *chunk;
        int64_t bases, end;
        check(gkl_shim_correct_chunk_open(threads, 0, &chunk));
        check(gkl_shim_correct_chunk_parse(chunk, text, size, 1, 0, &found, &bases, &end));
        gkl_shim_correct_chunk_close(chunk);
    } else if (!strcmp(reader, "pairhmm")) {
        gkl_shim_pairhmm_text regions;
        check(gkl_shim_pairhmm_parse(text, size, MOST, threads, offsets[0], letters, &regions));
    } else if (!strcmp(reader, "pdhmm")) {
        gkl_shim_pdhmm_text regions;
        gkl_shim_pdhmm_parse(text, size, MOST, threads, offsets[0], letters, &regions);
    } else if (!strcmp(reader, "pairs")) {
        gkl_shim_prefilter_parse_pairs(text, size, 9, threads, offsets[0], lengths[0], offsets[1],
                                       lengths[1], &found, &used);
    } else if (!strcmp(reader, "candidates")) {
        const int64_t name_offsets[] = {0, 1}, contig_length = 9;
        const gkl_shim_prefilter_contigs contigs = {1, "c", name_offsets, &contig_length};
        gkl_shim_prefilter_parse_candidates(text, size, 9, threads, 9, &contigs, lengths[0],
                                            lengths[1], offsets[0], letters, &found, &used);
    } else if (!strcmp(reader, "smithwaterman")) {
        const gkl_shim_smithwaterman_parameters defaults = {200, -150, -260, -11, 0};
        gkl_shim_smithwaterman_parameters parameters[9];
        gkl_shim_smithwaterman_batch batch;
        gkl_shim_smithwaterman_parse(text, size, 9, threads, &defaults, parameters, offsets[0],
                                     letters, &batch, &used);
    } else {
        exit(2);
    }
}

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    const int64_t size = read_file(argv[2], text, sizeof text);
    searched = 0;
    read_text(argv[1], size, atoi(argv[3]));
    printf("%lld %lld\n", (long long)size, (long long)searched);
    return 0;
}

/* Prints mummer's lines for two FASTA files, so that the library can be tried where there is no
 * Python:
 * driver REFERENCE QUERIES MIN_LENGTH KIND PAGE_LETTERS MEMORY THREADS [GPUS]
 *
 * The index is saved to memory and loaded again. */
#include "../driver.h"

enum { MOST_BYTES = 1 << 24, MOST_PIECES = 1 << 12 };

static uint8_t text[MOST_BYTES], saved[MOST_BYTES];
static gkl_shim_mem_piece pieces[MOST_PIECES];

static gkl_shim_mem_fasta *read_fasta(const char *path, int32_t threads,
                                      gkl_shim_mem_sequences *sequences,
                                      gkl_shim_mem_sequences *names) {
    gkl_shim_mem_fasta *fasta = NULL;
    const int64_t size = read_file(path, text, sizeof text);
    check(gkl_shim_mem_parse(text, size, threads, &fasta));
    check(gkl_shim_mem_fasta_sequences(fasta, sequences, names));
    return fasta;
}

static gkl_shim_mem *loaded_again(gkl_shim_mem *index, int32_t threads) {
    int64_t count = 0, size = 0;
    gkl_shim_mem *loaded = NULL;
    check(gkl_shim_mem_save(index, pieces, MOST_PIECES, &count));
    for (int64_t k = 0; k < count; k++) {
        if (pieces[k].size > 0) memcpy(saved + size, pieces[k].bytes, (size_t)pieces[k].size);
        size += pieces[k].size;
    }
    gkl_shim_mem_close(index);
    check(gkl_shim_mem_load(saved, size, threads, &loaded));
    return loaded;
}

int main(int argc, char **argv) {
    if (argc < 8) return 2;
    const int32_t threads = atoi(argv[7]);
    gkl_shim_mem_sequences reference, reference_names, queries, query_names;
    gkl_shim_mem_fasta *first = read_fasta(argv[1], threads, &reference, &reference_names);
    gkl_shim_mem_fasta *second = read_fasta(argv[2], threads, &queries, &query_names);
    const gkl_shim_mem_options options = {.threads = threads,
                                          .min_length = atoi(argv[3]),
                                          .page_letters = atoi(argv[5]),
                                          .memory = atoi(argv[6])};
    gkl_shim_mem *index = NULL;
    check(gkl_shim_mem_open(&options, &reference, &index));
    index = loaded_again(index, threads);
    int32_t same = 0;
    check(gkl_shim_mem_is_of(index, &reference, &same));
    if (!same) return 3;
    gkl_shim_cuda_engine *engine = NULL;
    if (argc > 8) check(gkl_shim_mem_cuda_engine_open(argv[8], &engine));
    const gkl_shim_mem_search search = {.min_length = atoi(argv[3]),
                                        .kind = atoi(argv[4]),
                                        .strands = GKL_SHIM_MEM_BOTH,
                                        .engine = engine};
    gkl_shim_mem_matches *matches = NULL;
    check(gkl_shim_mem_find(index, &queries, &search, &matches));
    const int64_t count = gkl_shim_mem_count(matches);
    gkl_shim_mem_match *copied = allocated((size_t)(count + 1) * sizeof *copied);
    check(gkl_shim_mem_copy(matches, copied));
    free(copied);
    const gkl_shim_mem_format format = {.reference_names = &reference_names,
                                        .query_names = &query_names,
                                        .lengths = 1,
                                        .original_positions = 1,
                                        .substrings = 1};
    gkl_shim_mem_lines *lines = NULL;
    check(gkl_shim_mem_lines_open(matches, &format, &lines));
    const uint8_t *part;
    int64_t size;
    do {
        check(gkl_shim_mem_lines_next(lines, &part, &size));
        if (size > 0) fwrite(part, 1, (size_t)size, stdout);
    } while (size > 0);
    gkl_shim_mem_lines_close(lines);
    gkl_shim_mem_matches_close(matches);
    gkl_shim_mem_close(index);
    gkl_shim_cuda_engine_close(engine);
    gkl_shim_mem_fasta_close(first);
    gkl_shim_mem_fasta_close(second);
    return 0;
}

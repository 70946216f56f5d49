/* Reads a .in file with the library and writes it back. Then reads a file of doubles and writes one
 * a line: text IN DOUBLES THREADS */
#include "../driver.h"
#include "gkl_shim_internal.h"

enum { MOST = 1 << 26 };

static uint8_t text[MOST];
static double values[MOST / sizeof(double)];

static void print(const uint8_t *bytes, const int64_t *offsets, int64_t k, int add, char end) {
    for (int64_t z = offsets[k]; z < offsets[k + 1]; z++) putchar(bytes[z] + add);
    putchar(end);
}

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    const int threads = atoi(argv[3]);
    int64_t size = read_file(argv[1], text, sizeof text), lines, bytes;
    check(gkl_shim_count_lines(text, size, threads, &lines, &bytes));
    int64_t *offsets = allocated(sizeof(int64_t) * (size_t)(2 * lines + 4));
    uint8_t *letters = allocated((size_t)bytes + 1);
    gkl_shim_pairhmm_text found;
    check(gkl_shim_pairhmm_parse(text, size, 1 << 20, threads, offsets, letters, &found));
    if (found.used != size || found.lines != lines || found.unfinished != -1) return 3;
    const gkl_shim_pairhmm_batch *batch = &found.batch;
    for (int64_t g = 0; g < batch->regions; g++) {
        const int64_t *reads = batch->region_reads + g, *haplotypes = batch->region_haplotypes + g;
        printf("%d %d\n", (int)(reads[1] - reads[0]), (int)(haplotypes[1] - haplotypes[0]));
        for (int64_t k = reads[0]; k < reads[1]; k++) {
            print(batch->read_bases, batch->read_offsets, k, 0, ' ');
            print(batch->base_quals, batch->read_offsets, k, 33, ' ');
            print(batch->insertion_quals, batch->read_offsets, k, 33, ' ');
            print(batch->deletion_quals, batch->read_offsets, k, 33, ' ');
            print(batch->continuation_quals, batch->read_offsets, k, 33, '\n');
        }
        for (int64_t k = haplotypes[0]; k < haplotypes[1]; k++)
            print(batch->haplotype_bases, batch->haplotype_offsets, k, 0, '\n');
    }
    size = read_file(argv[2], (uint8_t *)values, sizeof values);
    const int64_t count = size / (int64_t)sizeof(double);
    uint8_t *out = allocated((size_t)(GKL_SHIM_PAIRHMM_LINE_BYTES * count) + 1);
    check(gkl_shim_pairhmm_format(values, count, threads, out, &size));
    const int failed = fwrite(out, 1, (size_t)size, stdout) != (size_t)size;
    void *const all[] = {offsets, letters, out};
    for (int k = 0; k < 3; k++) free(all[k]);
    return failed;
}

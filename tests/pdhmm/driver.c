/* Computes a file of regions of partially determined haplotypes through the C ABI:
 *
 *     driver REGIONS BUILD THREADS
 *
 * prints each log10 likelihood in hexadecimal, so that every bit shows. */
#include "../driver.h"

enum { MAX = 1 << 22 };

static uint8_t text[MAX], letters[MAX];
static int64_t offsets[MAX / 2];

int main(int count, char **arguments) {
    if (count != 4) return 2;
    const int64_t size = read_file(arguments[1], text, sizeof text);
    const gkl_shim_pdhmm_options options = {atoi(arguments[3]), GKL_SHIM_STRICT, arguments[2]};
    gkl_shim_pdhmm_text regions;
    gkl_shim_pdhmm *pdhmm;
    check(gkl_shim_pdhmm_parse(text, size, MAX, options.threads, offsets, letters, &regions));
    check(gkl_shim_pdhmm_open(&options, &pdhmm));
    const gkl_shim_pdhmm_batch batch = {regions.text.batch, regions.haplotype_flags};
    const int64_t pairs = pairs_of(&batch.pairs);
    double *values = allocated(sizeof *values * (size_t)(pairs + 1));
    check(gkl_shim_pdhmm_compute(pdhmm, &batch, values, pairs));
    for (int64_t k = 0; k < pairs; k++) printf("%a\n", values[k]);
    free(values);
    gkl_shim_pdhmm_close(pdhmm);
    return 0;
}

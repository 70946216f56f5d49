/* Computes a file of regions of partially determined haplotypes through the C ABI:
 *
 *     driver REGIONS BUILD THREADS
 *
 * prints each log10 likelihood in hexadecimal, so that every bit shows. */
#include "../driver.h"

enum { LINE = 1 << 16, MOST = 1 << 12, BYTES = 1 << 20 };

static char line[LINE], field[5][LINE];
static uint8_t tracks[5][BYTES], letters[BYTES], flags[BYTES];
static int64_t read_ends[MOST + 1], haplotype_ends[MOST + 1];

static int fail(const char *what) {
    fprintf(stderr, "%s\n", what);
    return 1;
}

static int add_read(FILE *file, int64_t k) {
    if (!fgets(line, LINE, file) ||
        sscanf(line, "%s %s %s %s %s", field[0], field[1], field[2], field[3], field[4]) != 5)
        return 0;
    const int64_t at = read_ends[k], length = (int64_t)strlen(field[0]);
    memcpy(tracks[0] + at, field[0], (size_t)length);
    for (int track = 1; track < 5; track++)
        for (int64_t i = 0; i < length; i++)
            tracks[track][at + i] = (uint8_t)(field[track][i] - 33);
    read_ends[k + 1] = at + length;
    return 1;
}

static int add_haplotype(FILE *file, int64_t k) {
    if (!fgets(line, LINE, file) || sscanf(line, "%s %s", field[0], field[1]) != 2) return 0;
    const int64_t at = haplotype_ends[k], length = (int64_t)strlen(field[0]);
    memcpy(letters + at, field[0], (size_t)length);
    for (int64_t i = 0; i < length; i++) {
        const char digits[] = {field[1][2 * i], field[1][2 * i + 1], '\0'};
        flags[at + i] = (uint8_t)strtol(digits, NULL, 16);
    }
    haplotype_ends[k + 1] = at + length;
    return 1;
}

int main(int count, char **arguments) {
    if (count != 4) return fail("usage: driver REGIONS BUILD THREADS");
    FILE *file = opened(arguments[1]);
    const gkl_shim_pdhmm_options options = {atoi(arguments[3]), GKL_SHIM_STRICT, arguments[2]};
    gkl_shim_pdhmm *pdhmm;
    check(gkl_shim_pdhmm_open(&options, &pdhmm));
    long reads, haplotypes;
    while (fgets(line, LINE, file) && sscanf(line, "%ld %ld", &reads, &haplotypes) == 2) {
        if (reads > MOST || haplotypes > MOST) return fail("too large a region");
        for (long k = 0; k < reads; k++)
            if (!add_read(file, k)) return fail("no read");
        for (long k = 0; k < haplotypes; k++)
            if (!add_haplotype(file, k)) return fail("no haplotype");
        const int64_t region_reads[] = {0, reads}, region_haplotypes[] = {0, haplotypes};
        const gkl_shim_pdhmm_batch batch = {
            {1, region_reads, region_haplotypes, read_ends, tracks[0], tracks[1], tracks[2],
             tracks[3], tracks[4], haplotype_ends, letters},
            flags};
        double *values = allocated(sizeof *values * (size_t)(reads * haplotypes));
        check(gkl_shim_pdhmm_compute(pdhmm, &batch, values, reads * haplotypes));
        for (long k = 0; k < reads * haplotypes; k++) printf("%a\n", values[k]);
        free(values);
    }
    gkl_shim_pdhmm_close(pdhmm);
    fclose(file);
    return 0;
}

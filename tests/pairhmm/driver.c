/* Prints the likelihoods of a .in file, one hexadecimal floating-point number a line, to try
 * the library without Python: driver FILE BUILD PRECISION THREADS [BACKEND [MODE]]
 * BACKEND: cpu or cuda. MODE: the floating-point mode that the library is called in. */
#include "../driver.h"

#include "../floating_point_mode.h"

enum { MAX = 1 << 24 };

static uint8_t tracks[5][MAX], haplotypes[MAX];
static int64_t region_reads[MAX / 16], region_haplotypes[MAX / 16];
static int64_t read_offsets[MAX / 16], haplotype_offsets[MAX / 16];
static char field[MAX / 16];

int main(int argc, char **argv) {
    if (argc < 5) return 2;
    FILE *in = opened(argv[1]);
    int64_t regions = 0, reads = 0, haps = 0, pairs = 0;
    int r, h;
    while (fscanf(in, "%d %d", &r, &h) == 2) {
        for (int k = 0; k < r; k++, reads++) {
            int64_t length = 0;
            for (int track = 0; track < 5; track++) {
                if (fscanf(in, "%s", field) != 1) return 2;
                length = (int64_t)strlen(field);
                for (int64_t p = 0; p < length; p++)
                    tracks[track][read_offsets[reads] + p] = (uint8_t)(field[p] - (track ? 33 : 0));
            }
            read_offsets[reads + 1] = read_offsets[reads] + length;
        }
        for (int k = 0; k < h; k++, haps++) {
            if (fscanf(in, "%s", field) != 1) return 2;
            const int64_t length = (int64_t)strlen(field);
            memcpy(haplotypes + haplotype_offsets[haps], field, (size_t)length);
            haplotype_offsets[haps + 1] = haplotype_offsets[haps] + length;
        }
        regions++;
        region_reads[regions] = reads;
        region_haplotypes[regions] = haps;
        pairs += (int64_t)r * h;
    }
    fclose(in);
    const gkl_shim_pairhmm_options options = {
        atoi(argv[4]), strcmp(argv[3], "double") ? GKL_SHIM_SINGLE : GKL_SHIM_DOUBLE,
        GKL_SHIM_STRICT, argv[2],
        argc > 5 && !strcmp(argv[5], "cuda") ? GKL_SHIM_CUDA : GKL_SHIM_CPU};
    const gkl_shim_pairhmm_batch batch = {
        regions,   region_reads, region_haplotypes, read_offsets,      tracks[0], tracks[1],
        tracks[2], tracks[3],    tracks[4],         haplotype_offsets, haplotypes};
    double *out = allocated(sizeof(double) * (size_t)(pairs + 1));
    gkl_shim_pairhmm *pairhmm;
    gkl_shim_pairhmm_stats statistics;
    if (argc > 6) set_mode(argv[6]);
    const floating_point_mode mode = get_mode();
    check(gkl_shim_pairhmm_open(&options, &pairhmm));
    check(gkl_shim_pairhmm_compute(pairhmm, &batch, out, pairs));
    gkl_shim_pairhmm_statistics(pairhmm, &statistics);
    if (argc > 6) expect_mode(mode, "gkl_shim_pairhmm");
    for (int64_t k = 0; k < pairs; k++) printf("%a\n", out[k]);
    gkl_shim_pairhmm_close(pairhmm);
    free(out);
    return 0;
}

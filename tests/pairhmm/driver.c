/* Prints the likelihoods of a .in file, one hexadecimal floating-point number a line, to try
 * the library without Python: driver FILE BUILD PRECISION THREADS [BACKEND [MODE]]
 * BACKEND: cpu or cuda. MODE: the floating-point mode that the library is called in. */
#include "../driver.h"

#include "../floating_point_mode.h"

enum { MAX = 1 << 24 };

static uint8_t text[MAX], letters[MAX];
static int64_t offsets[MAX / 2];

int main(int argc, char **argv) {
    if (argc < 5) return 2;
    const int64_t size = read_file(argv[1], text, sizeof text);
    const gkl_shim_pairhmm_options options = {
        atoi(argv[4]), strcmp(argv[3], "double") ? GKL_SHIM_SINGLE : GKL_SHIM_DOUBLE,
        GKL_SHIM_STRICT, argv[2],
        argc > 5 && !strcmp(argv[5], "cuda") ? GKL_SHIM_CUDA : GKL_SHIM_CPU};
    gkl_shim_pairhmm_text regions;
    gkl_shim_pairhmm *pairhmm;
    gkl_shim_pairhmm_stats statistics;
    if (argc > 6) set_mode(argv[6]);
    const floating_point_mode mode = get_mode();
    check(gkl_shim_pairhmm_parse(text, size, MAX, options.threads, offsets, letters, &regions));
    const int64_t pairs = pairs_of(&regions.batch);
    double *out = allocated(sizeof(double) * (size_t)(pairs + 1));
    check(gkl_shim_pairhmm_open(&options, &pairhmm));
    check(gkl_shim_pairhmm_compute(pairhmm, &regions.batch, out, pairs));
    gkl_shim_pairhmm_statistics(pairhmm, &statistics);
    if (argc > 6) expect_mode(mode, "gkl_shim_pairhmm");
    for (int64_t k = 0; k < pairs; k++) printf("%a\n", out[k]);
    gkl_shim_pairhmm_close(pairhmm);
    free(out);
    return 0;
}

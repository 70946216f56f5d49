/* Corrects reads, so that the library can be tried where there is no Python:
 * driver FILE K THRESHOLD METHOD THREADS MEMORY
 *
 * A line of FILE is a read. Its quality is 30 everywhere. Prints the state, the part to keep and
 * the read of each. */
#include "../driver.h"

enum { MAX_READS = 1 << 16, MAX_LETTERS = 1 << 23 };

static uint8_t letters[MAX_LETTERS], qualities[MAX_LETTERS], corrected[MAX_LETTERS];
static int64_t offsets[MAX_READS + 1];
static uint8_t states[MAX_READS];
static int32_t begins[MAX_READS], ends[MAX_READS];

int main(int count, char **arguments) {
    if (count != 7) return 2;
    FILE *const file = opened(arguments[1]);
    static char line[1 << 16];
    int64_t reads = 0;
    while (fgets(line, sizeof line, file)) {
        const size_t length = strcspn(line, "\n");
        memcpy(letters + offsets[reads], line, length);
        offsets[reads + 1] = offsets[reads] + (int64_t)length;
        reads++;
    }
    fclose(file);
    memset(qualities, 30, sizeof qualities);
    const gkl_shim_correct_batch batch = {reads, offsets, letters, qualities};
    const gkl_shim_correct_options options = {.threads = atoi(arguments[5]),
                                              .method = atoi(arguments[4])};

    gkl_shim_correct_counter *counter;
    check(gkl_shim_correct_counter_open(atoi(arguments[2]), options.threads, atol(arguments[6]),
                                        atoi(arguments[3]), NULL, &counter));
    for (int32_t complete = 0; !complete;) {
        check(gkl_shim_correct_count(counter, &batch));
        check(gkl_shim_correct_end_pass(counter, &complete));
    }
    gkl_shim_correct_spectrum *spectrum;
    check(gkl_shim_correct_spectrum_make(counter, atoi(arguments[3]), &spectrum));
    gkl_shim_correct_counter_close(counter);
    check(gkl_shim_correct_reads(&options, spectrum, &batch, corrected, states, begins, ends));
    gkl_shim_correct_spectrum_close(spectrum);
    for (int64_t k = 0; k < reads; k++)
        printf("%d\t%d\t%d\t%.*s\n", states[k], begins[k], ends[k],
               (int)(offsets[k + 1] - offsets[k]), (const char *)corrected + offsets[k]);
    return 0;
}

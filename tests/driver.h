/* What the programs in C of all algorithms share. They end with a message if anything fails. */
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gkl_shim.h"

static inline void check(gkl_shim_status status) {
    if (status == GKL_SHIM_OK) return;
    fprintf(stderr, "%s\n", gkl_shim_last_error());
    exit(1);
}

static inline FILE *opened(const char *path) {
    FILE *const file = fopen(path, "r");
    if (file) return file;
    perror(path);
    exit(2);
}

/* Reads a file that fits into `most` bytes, and returns its size. */
static inline int64_t read_file(const char *path, uint8_t *bytes, size_t most) {
    FILE *const file = opened(path);
    const size_t size = fread(bytes, 1, most, file);
    fclose(file);
    return (int64_t)size;
}

static inline void *allocated(size_t size) {
    void *const memory = malloc(size);
    if (memory) return memory;
    fprintf(stderr, "no memory\n");
    exit(2);
}

static inline int64_t pairs_of(const gkl_shim_pairhmm_batch *batch) {
    int64_t pairs = 0;
    for (int64_t g = 0; g < batch->regions; g++)
        pairs += (batch->region_reads[g + 1] - batch->region_reads[g]) *
                 (batch->region_haplotypes[g + 1] - batch->region_haplotypes[g]);
    return pairs;
}

#include "pairhmm/batch.h"

#include "common/error.h"

namespace gkl_shim {
namespace pairhmm {
namespace {

bool check_offsets(const char *name, const int64_t *offsets, int64_t count) {
    if (!offsets) return fail("%s is null", name);
    if (offsets[0] != 0) return fail("%s[0] is %lld, not 0", name, (long long)offsets[0]);
    for (int64_t k = 0; k < count; k++)
        if (offsets[k + 1] < offsets[k])
            return fail("%s[%lld] is less than the one before it", name, (long long)(k + 1));
    return true;
}

bool check_lengths(const char *name, const int64_t *offsets, int64_t count) {
    for (int64_t k = 0; k < count; k++) {
        const int64_t length = offsets[k + 1] - offsets[k];
        if (length == 0) return fail("%s: sequence %lld has length 0", name, (long long)k);
        if (length > GKL_SHIM_LONGEST_SEQUENCE)
            return fail("%s: sequence %lld has length %lld; the longest may have %d", name,
                        (long long)k, (long long)length, int(GKL_SHIM_LONGEST_SEQUENCE));
    }
    return true;
}

// Adds x * y to the sum; returns whether it fits.
bool add_product(int64_t x, int64_t y, int64_t *sum) {
    int64_t product;
    return !__builtin_mul_overflow(x, y, &product) && !__builtin_add_overflow(*sum, product, sum);
}

}  // namespace

bool check_shape(const gkl_shim_pairhmm_batch &batch, int64_t *pairs, int64_t *cells) {
    const gkl_shim_pairhmm_batch &b = batch;
    if (!check_offsets("region_reads", b.region_reads, b.regions) ||
        !check_offsets("region_haplotypes", b.region_haplotypes, b.regions))
        return false;
    const int64_t reads = b.region_reads[b.regions], haplotypes = b.region_haplotypes[b.regions];
    if (!check_offsets("read_offsets", b.read_offsets, reads) ||
        !check_lengths("read_offsets", b.read_offsets, reads) ||
        !check_offsets("haplotype_offsets", b.haplotype_offsets, haplotypes) ||
        !check_lengths("haplotype_offsets", b.haplotype_offsets, haplotypes))
        return false;
    *pairs = *cells = 0;
    for (int64_t g = 0; g < b.regions; g++) {
        const int64_t r = b.region_reads[g], r_end = b.region_reads[g + 1];
        const int64_t h = b.region_haplotypes[g], h_end = b.region_haplotypes[g + 1];
        if (!add_product(r_end - r, h_end - h, pairs))
            return fail("region %lld: more pairs than can be counted", (long long)g);
        if (!add_product(b.read_offsets[r_end] - b.read_offsets[r],
                         b.haplotype_offsets[h_end] - b.haplotype_offsets[h], cells))
            return fail("region %lld: more cells than can be counted", (long long)g);
    }
    return true;
}

}  // namespace pairhmm
}  // namespace gkl_shim

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

bool check_sequences(const char *name, const char *kind, const int64_t *offsets, int64_t count,
                     int32_t longest) {
    if (!check_offsets(name, offsets, count)) return false;
    for (int64_t k = 0; k < count; k++) {
        const int64_t length = offsets[k + 1] - offsets[k];
        if (length == 0) return fail("%s: sequence %lld has length 0", name, (long long)k);
        if (length > longest)
            return fail("%s %lld has %lld letters; at most %d are allowed", kind, (long long)k,
                        (long long)length, longest);
    }
    return true;
}

// Adds x * y to *sum. Returns false on overflow.
bool add_product(int64_t x, int64_t y, int64_t *sum) {
    int64_t product;
    return !__builtin_mul_overflow(x, y, &product) && !__builtin_add_overflow(*sum, product, sum);
}

}  // namespace

bool check_shape(const gkl_shim_pairhmm_batch &batch, int64_t *pairs, int64_t *cells) {
    const gkl_shim_pairhmm_batch &b = batch;
    *pairs = *cells = 0;
    if (b.regions < 0) return fail("regions is %lld, less than 0", (long long)b.regions);
    if (b.regions == 0) return true;
    if (!check_offsets("region_reads", b.region_reads, b.regions) ||
        !check_offsets("region_haplotypes", b.region_haplotypes, b.regions) ||
        !check_sequences("read_offsets", "read", b.read_offsets, b.region_reads[b.regions],
                         GKL_SHIM_PAIRHMM_LONGEST_READ) ||
        !check_sequences("haplotype_offsets", "haplotype", b.haplotype_offsets,
                         b.region_haplotypes[b.regions], GKL_SHIM_PAIRHMM_LONGEST_HAPLOTYPE))
        return false;
    for (int64_t g = 0; g < b.regions; g++) {
        const int64_t r = b.region_reads[g], r_end = b.region_reads[g + 1];
        const int64_t h = b.region_haplotypes[g], h_end = b.region_haplotypes[g + 1];
        const int64_t letters = b.haplotype_offsets[h_end] - b.haplotype_offsets[h];
        if (letters > GKL_SHIM_PAIRHMM_REGION_LETTERS)
            return fail(
                "region %lld: its haplotypes have %lld letters together; at most %d are "
                "allowed",
                (long long)g, (long long)letters, int(GKL_SHIM_PAIRHMM_REGION_LETTERS));
        if (!add_product(r_end - r, h_end - h, pairs))
            return fail("region %lld: more pairs than can be counted", (long long)g);
        if (!add_product(b.read_offsets[r_end] - b.read_offsets[r], letters, cells))
            return fail("region %lld: more cells than can be counted", (long long)g);
    }
    return true;
}

}  // namespace pairhmm
}  // namespace gkl_shim

using namespace gkl_shim;

extern "C" gkl_shim_status gkl_shim_pairhmm_check(const gkl_shim_pairhmm_batch *batch) {
    if (!batch) return invalid("batch is null");
    return guarded([&] {
        int64_t pairs, cells;
        return pairhmm::check_shape(*batch, &pairs, &cells) ? GKL_SHIM_OK : GKL_SHIM_EINVAL;
    });
}

#include "pairhmm/batch.h"

#include "common/error.h"
#include "pairhmm/letters.h"

namespace gkl_shim {
namespace pairhmm {
namespace {

bool check_offsets(const char *name, const int64_t *offsets, int64_t count) {
    if (!offsets) return fail("%s is null", name);
    if (count > kMaxElements)
        return fail("%s: %lld sequences are more than fit into any memory", name, (long long)count);
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

bool check_shape(const gkl_shim_pairhmm_batch &b, int64_t *pairs, int64_t *cells,
                 const Limits &limits) {
    *pairs = *cells = 0;
    if (!check_count("regions", b.regions)) return false;
    if (b.regions == 0) return true;
    if (!check_offsets("region_reads", b.region_reads, b.regions) ||
        !check_offsets("region_haplotypes", b.region_haplotypes, b.regions) ||
        !check_sequences("read_offsets", "read", b.read_offsets, b.region_reads[b.regions],
                         limits.read) ||
        !check_sequences("haplotype_offsets", "haplotype", b.haplotype_offsets,
                         b.region_haplotypes[b.regions], limits.haplotype))
        return false;
    for (int64_t g = 0; g < b.regions; g++) {
        const int64_t r = b.region_reads[g], r_end = b.region_reads[g + 1];
        const int64_t h = b.region_haplotypes[g], h_end = b.region_haplotypes[g + 1];
        const int64_t letters = b.haplotype_offsets[h_end] - b.haplotype_offsets[h];
        if (letters > limits.region)
            return fail(
                "region %lld: its haplotypes have %lld letters together; at most %d are "
                "allowed",
                (long long)g, (long long)letters, limits.region);
        if (!add_product(r_end - r, h_end - h, pairs))
            return fail("region %lld: more pairs than can be counted", (long long)g);
        if (!add_product(b.read_offsets[r_end] - b.read_offsets[r], letters, cells))
            return fail("region %lld: more cells than can be counted", (long long)g);
    }
    return true;
}

bool check_arrays(const gkl_shim_pairhmm_batch &b) {
    const int64_t read_bases = b.read_offsets[b.region_reads[b.regions]];
    const int64_t haplotype_bases = b.haplotype_offsets[b.region_haplotypes[b.regions]];
    const struct {
        const char *name;
        const uint8_t *pointer;
        int64_t count;
    } arrays[] = {{"read_bases", b.read_bases, read_bases},
                  {"base_quals", b.base_quals, read_bases},
                  {"insertion_quals", b.insertion_quals, read_bases},
                  {"deletion_quals", b.deletion_quals, read_bases},
                  {"continuation_quals", b.continuation_quals, read_bases},
                  {"haplotype_bases", b.haplotype_bases, haplotype_bases}};
    for (const auto &array : arrays)
        if (!array.pointer && array.count > 0) return fail("%s is null", array.name);
    return true;
}

bool check_letters(bool as_gkl, const gkl_shim_pairhmm_batch &b) {
    const auto check = [&](const char *name, const uint8_t *bases, const int64_t *offsets,
                           int64_t count) {
        return check_none(name, bases, offsets, find_refused(as_gkl, bases, offsets[count]),
                          "letters are ACGTN");
    };
    return check("read_bases", b.read_bases, b.read_offsets, b.region_reads[b.regions]) &&
           check("haplotype_bases", b.haplotype_bases, b.haplotype_offsets,
                 b.region_haplotypes[b.regions]);
}

bool check_none(const char *name, const uint8_t *bytes, const int64_t *offsets, int64_t at,
                const char *problem) {
    if (at < 0) return true;
    int64_t sequence = 0;
    while (offsets[sequence + 1] <= at) sequence++;
    return fail("%s: sequence %lld has the byte 0x%02x at position %lld; %s", name,
                (long long)sequence, bytes[at], (long long)(at - offsets[sequence]), problem);
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

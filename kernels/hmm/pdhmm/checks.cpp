#include "hmm/pdhmm/checks.h"

#include "hmm/batch.h"
#include "hmm/pdhmm/model.h"

namespace gkl_shim::pdhmm {
namespace {

// The position of the first byte that `is_wrong` accepts, or -1. Looks at blocks of bytes, because
// compilers do not vectorize a loop that may end at any byte.
template <class IsWrong>
int64_t find(const uint8_t *bytes, int64_t count, IsWrong is_wrong) {
    enum { kBlock = 256 };
    for (int64_t begin = 0; begin < count; begin += kBlock) {
        const int64_t end = begin + kBlock < count ? begin + kBlock : count;
        uint8_t any = 0;
        for (int64_t k = begin; k < end; k++) any |= uint8_t(is_wrong(bytes[k]));
        if (!any) continue;
        for (int64_t k = begin;; k++)
            if (is_wrong(bytes[k])) return k;
    }
    return -1;
}

}  // namespace

int64_t find_wrong_flags(const uint8_t *flags, int64_t count) {
    return find(flags, count,
                [](uint8_t each) { return bool(each & kSnp) != (each >= kAlternativeA); });
}

bool check_content(const gkl_shim_pdhmm_batch &batch, bool as_gatk) {
    const gkl_shim_pairhmm_batch &b = batch.pairs;
    if (!check_arrays(b)) return false;
    const int64_t read_bases = b.read_offsets[b.region_reads[b.regions]];
    const int64_t haplotype_bases = b.haplotype_offsets[b.region_haplotypes[b.regions]];
    if (!batch.haplotype_flags && haplotype_bases > 0) return fail("haplotype_flags is null");
    const struct {
        const char *name;
        const uint8_t *quals;
    } tracks[] = {{"insertion_quals", b.insertion_quals},
                  {"deletion_quals", b.deletion_quals},
                  {"continuation_quals", b.continuation_quals}};
    for (const auto &track : tracks) {
        const int64_t at = find(track.quals, read_bases, [](uint8_t q) { return q >= 128; });
        if (!check_none(track.name, track.quals, b.read_offsets, at,
                        "gap qualities are less than 128"))
            return false;
    }
    if (as_gatk) return true;
    const int64_t at = find_wrong_flags(batch.haplotype_flags, haplotype_bases);
    return check_letters(false, b) && check_none("haplotype_flags", batch.haplotype_flags,
                                                 b.haplotype_offsets, at, kWrongFlags);
}

}  // namespace gkl_shim::pdhmm

#include "hmm/pdhmm/checks.h"

#include "common/text/bytes.h"
#include "hmm/batch.h"
#include "hmm/pdhmm/model.h"

namespace gkl_shim::pdhmm {

int64_t find_wrong_flags(const uint8_t *flags, int64_t count) {
    return first_failing(flags, count, [](auto each) {
        return ((each & uint8_t(kSnp)) != 0) == (each >= uint8_t(kAlternativeA));
    });
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
        const int64_t at = first_failing(track.quals, read_bases, [](auto q) { return q < 128; });
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

// Parses regions in PDHMM's .in format, which has flags. Part of the C ABI.
#include "common/error.h"
#include "hmm/pdhmm/checks.h"
#include "hmm/region_parser.h"

extern "C" gkl_shim_status gkl_shim_pdhmm_parse(const uint8_t *text, int64_t size,
                                                int64_t longest_line, int32_t threads,
                                                int64_t *offsets, uint8_t *letters,
                                                gkl_shim_pdhmm_text *out) {
    using namespace gkl_shim;
    if (!out) return invalid("out is null");
    out->haplotype_flags = nullptr;
    return hmm::parse_regions({pdhmm::kLimits, pdhmm::find_wrong_flags, pdhmm::kWrongFlags}, text,
                              size, longest_line, threads, offsets, letters, &out->text,
                              &out->haplotype_flags);
}

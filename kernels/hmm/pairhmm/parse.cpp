// Parses regions in PairHMM's .in format. Part of the C ABI.
#include "common/error.h"
#include "hmm/pairhmm/limits.h"
#include "hmm/region_parser.h"

extern "C" gkl_shim_status gkl_shim_pairhmm_parse(const uint8_t *text, int64_t size,
                                                  int64_t longest_line, int32_t threads,
                                                  int64_t *offsets, uint8_t *letters,
                                                  gkl_shim_pairhmm_text *out) {
    using namespace gkl_shim;
    if (!out) return invalid("out is null");
    return hmm::parse_regions({pairhmm::kLimits}, text, size, longest_line, threads, offsets,
                              letters, out, nullptr);
}

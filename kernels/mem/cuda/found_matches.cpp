#include "mem/cuda/found_matches.h"

#include <string.h>

#include <algorithm>

namespace gkl_shim {
namespace mem {
namespace {

// How many letters of the reference equal those of the queries from a position on. The host has no
// text of the queries, so it makes some letters at a time.
int64_t equal_letters(const uint8_t *reference, const TextSource &queries, int64_t position) {
    const int64_t together = 1 << 12;
    uint8_t letters[together + 8];
    const int64_t size = queries.size();
    for (int64_t equal = 0;; equal += together) {
        const int64_t count = std::min(together, size - position - equal);
        queries.copy(position + equal, position + equal + count, letters);
        // equal_from() ends at an end byte, and reads whole words.
        memset(letters + count, queries.end_byte(), 8);
        const int64_t more = equal_from(reference + equal, letters);
        if (more < together) return equal + more;
    }
}

}  // namespace

int64_t FoundMatches::from(int64_t position) const {
    const auto before = [this](const Found &match, int64_t limit) {
        return query_origin + match.query < limit;
    };
    return std::lower_bound(matches, matches + count, position, before) - matches;
}

void FoundMatches::convert(int64_t first, int64_t last, const Text &reference,
                           const TextSource &queries, Match *out) const {
    for (int64_t k = first; k < last; k++) {
        const Found &each = matches[k];
        Match match = {reference_origin + each.reference, query_origin + each.query, each.length,
                       0};
        if (match.reference_end() == reference_cut || match.query_end() == query_cut)
            match.length += equal_letters(reference.view().letters + match.reference_end(), queries,
                                          match.query_end());
        out[k - first] = match;
    }
    sort_matches(out, out + (last - first));
}

}  // namespace mem
}  // namespace gkl_shim

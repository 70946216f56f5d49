#include "mem/cuda/found_matches.h"

#include <string.h>

#include <algorithm>

namespace gkl_shim::mem {
namespace {

// A place in a text of which the host has only the source: it makes some letters at a time.
struct Letters {
    enum { kBlockLetters = 1 << 12 };

    const TextSource &source;
    int64_t position;
    uint8_t made[kBlockLetters + 8];

    const uint8_t *next() {
        const int64_t count = std::min<int64_t>(kBlockLetters, source.size() - position);
        source.copy(position, position + count, made);
        // equal_from() ends at an end byte, and reads whole words.
        memset(made + count, source.end_byte(), 8);
        position += count;
        return made;
    }
};

// How many letters are equal in two texts from two positions on.
int64_t equal_letters(const TextSource &reference, int64_t in_reference, const TextSource &queries,
                      int64_t in_query) {
    Letters one = {reference, in_reference, {}}, other = {queries, in_query, {}};
    for (int64_t equal = 0;; equal += Letters::kBlockLetters) {
        const int64_t more = equal_from(one.next(), other.next());
        if (more < Letters::kBlockLetters) return equal + more;
    }
}

}  // namespace

int64_t FoundMatches::first_from(int64_t position) const {
    const auto before = [this](const Found &match, int64_t limit) {
        return query_origin + match.query < limit;
    };
    return std::lower_bound(matches, matches + count, position, before) - matches;
}

void FoundMatches::convert(int64_t first, int64_t last, const TextSource &reference,
                           const TextSource &queries, Match *out) const {
    for (int64_t k = first; k < last; k++) {
        const Found &each = matches[k];
        Match match = {reference_origin + each.reference, query_origin + each.query, each.length,
                       0};
        if (match.reference_end() == reference_cut || match.query_end() == query_cut)
            match.length +=
                equal_letters(reference, match.reference_end(), queries, match.query_end());
        out[k - first] = match;
    }
    sort_matches(out, out + (last - first));
}

}  // namespace gkl_shim::mem

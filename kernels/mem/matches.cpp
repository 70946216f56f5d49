#include "mem/matches.h"

#include <algorithm>

namespace gkl_shim::mem {
namespace {

bool before(const Match &a, const Match &b) {
    return a.query != b.query ? a.query < b.query : a.reference < b.reference;
}

}  // namespace

void sort_matches(Match *first, Match *last) {
    if (!std::is_sorted(first, last, before)) std::sort(first, last, before);
}

void merge_matches(Match *first, Match *middle, Match *last) {
    std::inplace_merge(first, middle, last, before);
}

// A match is repeated if and only if a match of another diagonal covers its part of the query: the
// letters of that part occur there, too, and extend to a match that covers it.
void sift_repeated(std::vector<Match> &matches) {
    size_t kept = 0;
    int64_t covered = 0;  // the end of the matches that start earlier in the query
    for (size_t k = 0; k < matches.size();) {
        Match longest = matches[k];
        const int64_t start = longest.query;
        for (k++; k < matches.size() && matches[k].query == start; k++) {
            if (matches[k].length > longest.length)
                longest = matches[k];
            else if (matches[k].length == longest.length)
                longest.repeated = 1;
        }
        if (longest.query_end() <= covered) continue;
        covered = longest.query_end();
        matches[kept++] = longest;
    }
    matches.resize(kept);
}

void keep_unique_in_query(std::vector<Match> &matches) {
    std::sort(matches.begin(), matches.end(), [](const Match &a, const Match &b) {
        return a.reference != b.reference ? a.reference < b.reference : a.length > b.length;
    });
    size_t kept = 0;
    // mummer takes the first letter of the reference for covered.
    int64_t covered = 1;
    for (size_t k = 0; k < matches.size();) {
        const Match longest = matches[k];
        bool unique = true;
        for (k++; k < matches.size() && matches[k].reference == longest.reference; k++)
            unique = unique && matches[k].length != longest.length;
        if (longest.reference_end() <= covered) continue;
        covered = longest.reference_end();
        if (unique) matches[kept++] = longest;
    }
    matches.resize(kept);
}

}  // namespace gkl_shim::mem

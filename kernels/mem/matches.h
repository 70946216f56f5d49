// Matches as the engines find them, and the choice of the unique ones.
#pragma once

#include <stdint.h>

#include <vector>

namespace gkl_shim::mem {

// Positions are those of the texts.
struct Match {
    int64_t reference, query;
    int64_t length : 63;
    // An equal part of the query has another match. Such a match is kept only to show that others
    // are not unique.
    uint64_t repeated : 1;

    int64_t reference_end() const { return reference + length; }
    int64_t query_end() const { return query + length; }
};

// Sorts by position in the query, then in the reference.
void sort_matches(Match *first, Match *last);

// Merges sorted matches with the sorted ones that follow them.
void merge_matches(Match *first, Match *middle, Match *last);

// Drops matches whose part of the query lies within another match, because their letters occur
// elsewhere in the reference, too. Expects sorted matches of whole sequences or of parts of them:
// what is left may be put together with the rest and sifted again.
void sift_repeated(std::vector<Match> &matches);

// Keeps those matches of one query and strand that are unique in both texts. Expects those that are
// unique in the reference. Sorts them by position in the reference, as mummer does.
void keep_unique_in_query(std::vector<Match> &matches);

}  // namespace gkl_shim::mem

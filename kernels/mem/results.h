// The matches of a block of queries, and their order.
#pragma once

#include <stdint.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "gkl_shim.h"
#include "mem/matches.h"
#include "mem/text.h"

namespace gkl_shim {
namespace mem {

enum Kind { kMem = 0, kMumReference = 1, kMum = 2 };

struct FindSettings {
    int64_t min_length;
    int kind;
    bool forward, reverse;
    int threads;
    int64_t first, last, most;  // of a part of the search, as in gkl_shim_mem_search; or all 0

    bool wants(bool reversed) const { return reversed ? reverse : forward; }
    bool is_part() const { return most > 0; }
};

// The matches of one strand of all queries. Query k has those from starts[k] to starts[k + 1].
struct Strand {
    bool searched = false;
    std::vector<int64_t> starts;

    int64_t count() const { return ends_.empty() ? 0 : ends_.back(); }

    // Matches are kept in the pieces in which they are found, one after another.
    void append(Buffer<Match> piece) {
        ends_.push_back(count() + piece.size());
        pieces_.push_back(std::move(piece));
    }

    // Calls visit() with each of the matches [first, last).
    template <class Visit>
    void visit(int64_t first, int64_t last, const Visit &visit_match) const {
        size_t piece = size_t(std::upper_bound(ends_.begin(), ends_.end(), first) - ends_.begin());
        for (int64_t k = first; k < last; piece++) {
            const Match *const end = pieces_[piece].data() + pieces_[piece].size();
            for (const Match *match = end - (ends_[piece] - k); match < end && k < last; k++)
                visit_match(*match++);
        }
    }

   private:
    std::vector<Buffer<Match>> pieces_;
    std::vector<int64_t> ends_;  // of each piece: the number of matches up to there
};

struct Results {
    Strand strands[2];                  // forward, reverse complement
    std::vector<int64_t> query_starts;  // of each query in its text, and the text's size
    int64_t end = 0;                    // of a part of a search

    int64_t count() const { return strands[0].count() + strands[1].count(); }
    int64_t queries() const { return int64_t(query_starts.size()) - 1; }
    int64_t query_length(int64_t k) const {
        return query_starts[size_t(k + 1)] - query_starts[size_t(k)] - 1;
    }
};

// A text is searched in slices, one task each. These are the matches of each slice: those that
// start at its positions. A slice has kSlice positions, or fewer in a part of a search.
typedef std::vector<std::vector<Match>> Slices;
const int64_t kSlice = int64_t(1) << 17;

// Sorts the matches of a slice, and drops those that `kind` does not need.
void tidy_slice(int kind, std::vector<Match> &matches);

// Sets starts[k] of the queries [first, last): `before`, and how many of these matches are of
// earlier queries. The matches of a query are together, and queries are in their order.
void set_starts(const std::vector<int64_t> &query_starts, int64_t first, int64_t last,
                const Match *matches, int64_t count, int64_t before, int64_t *starts);

// Puts the matches of tidy slices together, and keeps those that `kind` asks for. Empties the
// slices.
Strand gather(const std::vector<int64_t> &query_starts, int kind, Slices &slices, int threads);

// Writes the matches of both strands, query by query.
void copy_matches(const Text &reference, const Results &results, int threads,
                  gkl_shim_mem_match *out);

// Results without matches.
Results results_of(const gkl_shim_mem_sequences &queries);

inline Role role_of(bool reverse) { return reverse ? Role::kReversedQuery : Role::kQuery; }

}  // namespace mem
}  // namespace gkl_shim

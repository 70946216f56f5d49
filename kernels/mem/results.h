// The matches of a block of queries, and their order.
#pragma once

#include <vector>

#include "gkl_shim.h"
#include "mem/index/reference.h"
#include "mem/matches.h"

namespace gkl_shim::mem {

// Whether a strand is searched, and whether a search is a part of one.
inline bool wants(const gkl_shim_mem_search &search, bool reverse) {
    return search.strands & (reverse ? GKL_SHIM_MEM_REVERSE : GKL_SHIM_MEM_FORWARD);
}
inline bool is_part(const gkl_shim_mem_search &search) { return search.most > 0; }

// The matches of one strand of all queries. Those of a query are together, and queries are in their
// order.
class Strand {
   public:
    bool searched = false;

    int64_t count() const { return places_.back(); }

    // Matches are kept in the pieces in which they are found, one after another.
    void append(Buffer<Match> piece);

    // How many matches belong to queries that begin before `start`, which is where a query begins.
    int64_t count_before(int64_t start) const;

    // A place in the matches, which goes from one match to the next.
    class Reader {
       public:
        // `first`: the number of the first match.
        Reader(const Strand &strand, int64_t first);

        // The next match; null after the last one.
        const Match *peek() const { return next_; }
        // Whether there is a next match, and its query begins before `start`, which is where a
        // query begins.
        bool has_before(int64_t start) const { return next_ && next_->query < start; }
        // Goes on to the next match and returns it. There must be one.
        const Match &next() {
            const Match &match = *next_++;
            if (next_ == end_) enter(piece_ + 1, 0);
            return match;
        }

       private:
        // Goes to a match of a piece.
        void enter(size_t piece, int64_t match);

        const Strand *strand_;
        size_t piece_;
        const Match *next_, *end_;  // null after the last piece
    };

   private:
    std::vector<Buffer<Match>> pieces_;  // none is empty
    std::vector<int64_t> places_ = {0};  // how many matches come before each piece, and all
};

struct Results {
    Strand strands[2];        // forward, reverse complement
    Buffer<int64_t> offsets;  // of the queries: the caller may free its own
    int64_t end = 0;          // of a part of a search
    int64_t pages = 0;        // of the reference on the devices that have searched

    int64_t count() const { return strands[0].count() + strands[1].count(); }
    int64_t queries() const { return offsets.size() - 1; }
    int64_t query_length(int64_t k) const { return offsets[k + 1] - offsets[k]; }
    // Where the queries begin in the text of a strand.
    SequenceStarts starts() const { return {offsets.data(), queries(), 1}; }
};

// A text is searched in slices, one task each. These are the matches of each slice: those that
// start at its positions. A slice has kSlice positions, or fewer in a part of a search.
typedef std::vector<std::vector<Match>> Slices;
const int64_t kSlice = int64_t(1) << 17;

// Sorts the matches of a slice, and drops those that `kind` does not need.
void tidy_slice(int kind, std::vector<Match> &matches);

// Puts the matches of tidy slices together, and keeps those that `kind` asks for. Empties the
// slices.
Strand gather(const SequenceStarts &starts, int kind, Slices &slices, int threads);

// Writes the matches of both strands, query by query.
void copy_matches(const Reference &reference, const Results &results, int threads,
                  gkl_shim_mem_match *out);

// Results without matches.
Results results_of(const gkl_shim_mem_sequences &queries, int threads);

// Where queries begin in the text of a strand.
inline SequenceStarts starts_of(const gkl_shim_mem_sequences &queries) {
    return {queries.offsets, queries.count, 1};
}

// The source of a strand's text.
inline TextSource source_of(const gkl_shim_mem_sequences &queries, bool reverse,
                            bool nucleotides_only) {
    return TextSource(reverse ? Role::kReversedQuery : Role::kQuery, nucleotides_only,
                      queries.letters, starts_of(queries));
}

}  // namespace gkl_shim::mem

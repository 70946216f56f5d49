// The matches of a block of queries, and their order.
#pragma once

#include <stdint.h>

#include <functional>
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
};

// The matches of one strand of all queries. Query k has those from starts[k] to starts[k + 1].
struct Strand {
    bool searched = false;
    Buffer<Match> matches;
    std::vector<int64_t> starts;
};

struct Results {
    Strand strands[2];                  // forward, reverse complement
    std::vector<int64_t> query_starts;  // of each query in its text, and the text's size

    int64_t count() const { return strands[0].matches.size() + strands[1].matches.size(); }
    int64_t queries() const { return int64_t(query_starts.size()) - 1; }
    int64_t query_length(int64_t k) const {
        return query_starts[size_t(k + 1)] - query_starts[size_t(k)] - 1;
    }
};

// The matches of each part of a text: those that start in the part's kPart positions.
typedef std::vector<std::vector<Match>> Parts;
const int64_t kPart = int64_t(1) << 17;

inline Parts parts_of(const Text &text) { return Parts(size_t((text.size() + kPart - 1) / kPart)); }

// Sorts a part, and drops what `kind` does not need.
void tidy_part(int kind, std::vector<Match> &matches);

// Puts the matches of tidy parts together, and keeps those that `kind` asks for.
Strand gather(const Text &queries, int kind, Parts &parts, int threads);

// Calls find() with the text of each strand that is wanted.
Results search_strands(bool nucleotides_only, const FindSettings &settings,
                       const gkl_shim_mem_sequences &queries,
                       const std::function<Strand(const Text &)> &find);

}  // namespace mem
}  // namespace gkl_shim

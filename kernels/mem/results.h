// The matches of a block of queries, and their order.
#pragma once

#include <stdint.h>

#include <vector>

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

// Puts the matches of parts of a text together. The parts are in order, and each is sorted; if
// `kind` needs it, they are sifted.
Strand gather(const Text &queries, int kind, std::vector<std::vector<Match>> &parts, int threads);

}  // namespace mem
}  // namespace gkl_shim

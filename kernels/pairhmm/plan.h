// The plan of a region: what is computed once for several pairs, and in which order.
//
// Everything in the recurrence is linear in its start, so haplotypes that begin alike share every
// column of their common beginning. The plan sorts a region's distinct haplotypes into a trie and
// lists the trie's branches depth first, each a run of columns; an engine walks the list and keeps
// its state at a fork until the last branch that leaves there is done. Pure CPU work, the same for
// every engine.
#pragma once

#include <stdint.h>

#include <vector>

namespace gkl_shim {
namespace pairhmm {

// A run of consecutive columns of the trie.
struct Branch {
    int32_t column;  // its first column, an index into Trie::letters
    int32_t length;  // how many
    int32_t load;    // the slot whose state it starts from, or -1: the root
    int32_t save;    // the slot to keep the state after its last column in, or -1
    int32_t leaf;    // the distinct haplotype that ends with it, or -1
};

struct Trie {
    std::vector<uint8_t> letters;      // one a column, encoded
    std::vector<Branch> branches;      // depth first
    std::vector<int32_t> leaf_of;      // haplotype (as given) -> leaf
    int32_t leaves = 0, slots = 0;

    int64_t columns() const { return int64_t(letters.size()); }
};

// Encoded haplotypes of one region. `haplotypes` may be any subset, in any order; repeats share a
// leaf. Reuses the trie's memory.
struct EncodedHaplotype {
    const uint8_t *letters;
    int64_t length;
};

class TrieBuilder {
   public:
    void build(const EncodedHaplotype *haplotypes, int64_t count, Trie *trie);

   private:
    struct Fork {
        int32_t owner;   // rank of the haplotype whose own columns it lies in
        int64_t depth;
    };
    std::vector<int32_t> order_, rank_first_;
    std::vector<int64_t> shared_;           // by rank: columns shared with the haplotype before
    std::vector<Fork> forks_;
    std::vector<int32_t> owners_;
    std::vector<int64_t> saved_depths_;
};

}  // namespace pairhmm
}  // namespace gkl_shim

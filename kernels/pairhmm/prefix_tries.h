// Tries of sequences of which nothing is known but their lengths and what they have in common: the
// letters may be where no planner can look.
#pragma once

#include <stdint.h>

#include <vector>

#include "gkl_shim.h"
#include "pairhmm/plan.h"

namespace gkl_shim {
namespace pairhmm {

// Where a branch's letters are found: in which sequence, and from where on.
struct Origin {
    int32_t sequence, depth;
};

class PrefixTries {
   public:
    // Makes a trie without letters, of those of a region's sequences that are chosen, at least one;
    // they are numbered, and have lengths, in the order of this list. `prefixes` are those of all
    // the region's sequences. `origins` are the branches'. Reuses all memory.
    void build(const gkl_shim_cuda_prefix *prefixes, int64_t count,
               const std::vector<int32_t> &chosen, const int64_t *lengths, Trie *trie,
               std::vector<Origin> *origins);

   private:
    struct Node {
        int32_t depth, parent, sequence;
        int32_t child, sibling;  // the one that was added last, the one before; or -1
        int32_t leaf;            // -1: no sequence ends here
    };
    struct Pending {
        int32_t node, slots, load;
    };

    void sort(const gkl_shim_cuda_prefix *prefixes, int64_t count);
    int32_t add_node(int32_t depth, int32_t parent, int32_t sequence);
    int32_t add(int32_t last, int32_t shared, int32_t length, int32_t sequence);
    void list_branches(Trie *trie, std::vector<Origin> *origins);

    std::vector<int32_t> order_, next_, place_;
    std::vector<Node> nodes_;
    std::vector<Pending> pending_;
};

}  // namespace pairhmm
}  // namespace gkl_shim

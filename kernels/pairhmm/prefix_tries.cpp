#include "pairhmm/prefix_tries.h"

#include <algorithm>

namespace gkl_shim {
namespace pairhmm {

void PrefixTries::build(const gkl_shim_cuda_prefix *prefixes, int64_t count,
                        const std::vector<int32_t> &chosen, const int64_t *lengths, Trie *trie,
                        std::vector<Origin> *origins) {
    trie->letters.clear();
    trie->branches.clear();
    trie->leaf_of.resize(chosen.size());
    trie->leaves = trie->slots = 0;
    origins->clear();
    nodes_.clear();
    sort(prefixes, count);
    place_.assign(size_t(count), -1);
    for (size_t k = 0; k < chosen.size(); k++) place_[size_t(chosen[k])] = int32_t(k);
    int32_t last = add_node(0, -1, 0), shared = 0;
    for (int32_t h = 0; h >= 0; h = next_[size_t(h)]) {
        // What the two have in common is the least that neighbours between them have.
        shared = std::min(shared, prefixes[h].length);
        const int32_t k = place_[size_t(h)];
        if (k < 0) continue;
        last = add(last, shared, int32_t(lengths[k]), k);
        trie->leaf_of[size_t(k)] = last;
        shared = INT32_MAX;
    }
    list_branches(trie, origins);
    for (int32_t &leaf : trie->leaf_of) leaf = nodes_[size_t(leaf)].leaf;
}

// Links all sequences so that each has as much in common with the one before as with any before
// that. A sequence stands behind the one that it is most like, and behind what has more in common
// with that one than it has.
void PrefixTries::sort(const gkl_shim_cuda_prefix *prefixes, int64_t count) {
    order_.resize(size_t(count));
    for (int32_t h = 0; h < count; h++) order_[size_t(h)] = h;
    std::sort(order_.begin() + 1, order_.end(), [prefixes](int32_t x, int32_t y) {
        return prefixes[x].length != prefixes[y].length ? prefixes[x].length < prefixes[y].length
                                                        : x < y;
    });
    next_.resize(size_t(count));
    next_[0] = -1;
    for (int64_t k = 1; k < count; k++) {
        const int32_t h = order_[size_t(k)], like = prefixes[h].like;
        next_[size_t(h)] = next_[size_t(like)];
        next_[size_t(like)] = h;
    }
}

int32_t PrefixTries::add_node(int32_t depth, int32_t parent, int32_t sequence) {
    nodes_.push_back({depth, parent, sequence, -1, -1, -1});
    return int32_t(nodes_.size()) - 1;
}

// Adds a sequence that shares so much with the last one, which ends in node `last`; returns the
// node in which it ends.
int32_t PrefixTries::add(int32_t last, int32_t shared, int32_t length, int32_t sequence) {
    int32_t below = -1, node = last;
    while (nodes_[size_t(node)].depth > shared) {
        below = node;
        node = nodes_[size_t(node)].parent;
    }
    if (nodes_[size_t(node)].depth < shared) {
        // They part in the midst of the branch that was added last.
        const int32_t fork = add_node(shared, node, nodes_[size_t(below)].sequence);
        std::swap(nodes_[size_t(fork)].sibling, nodes_[size_t(below)].sibling);
        nodes_[size_t(fork)].child = below;
        nodes_[size_t(below)].parent = fork;
        nodes_[size_t(node)].child = fork;
        node = fork;
    }
    if (length > shared) {
        const int32_t leaf = add_node(length, node, sequence);
        nodes_[size_t(leaf)].sibling = nodes_[size_t(node)].child;
        nodes_[size_t(node)].child = leaf;
        node = leaf;
    }
    nodes_[size_t(node)].leaf = 0;
    return node;
}

// As TrieBuilder does: depth first, leaves and slots numbered on the way.
void PrefixTries::list_branches(Trie *trie, std::vector<Origin> *origins) {
    int32_t columns = 0;
    pending_.assign(1, {0, 0, -1});
    while (!pending_.empty()) {
        const Pending here = pending_.back();
        pending_.pop_back();
        Node &node = nodes_[size_t(here.node)];
        const int32_t depth = node.parent < 0 ? 0 : nodes_[size_t(node.parent)].depth;
        Branch branch = {columns, node.depth - depth, here.load, -1, -1};
        columns += branch.length;
        if (node.leaf >= 0) branch.leaf = node.leaf = trie->leaves++;
        int32_t slots = here.slots;
        if (node.child >= 0 && node.depth > 0) {
            branch.save = slots++;
            trie->slots = std::max(trie->slots, slots);
        }
        for (int32_t child = node.child; child >= 0; child = nodes_[size_t(child)].sibling)
            pending_.push_back({child, slots, branch.save});
        if (branch.length == 0 && branch.leaf < 0) continue;
        trie->branches.push_back(branch);
        origins->push_back({node.sequence, depth});
    }
}

}  // namespace pairhmm
}  // namespace gkl_shim

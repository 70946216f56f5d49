#include "pairhmm/plan.h"

#include <string.h>

#include <algorithm>

namespace gkl_shim {
namespace pairhmm {
namespace {

int64_t common_prefix(const EncodedHaplotype &a, const EncodedHaplotype &b) {
    const int64_t n = std::min(a.length, b.length);
    int64_t k = 0;
    for (; k + 8 <= n; k += 8) {
        uint64_t x, y;
        memcpy(&x, a.letters + k, 8);
        memcpy(&y, b.letters + k, 8);
        if (x != y) break;
    }
    while (k < n && a.letters[k] == b.letters[k]) k++;
    return k;
}

}  // namespace

void TrieBuilder::build(const EncodedHaplotype *haplotypes, int64_t count, Trie *trie) {
    trie->letters.clear();
    trie->branches.clear();
    trie->leaf_of.resize(count);
    order_.resize(count);
    for (int64_t h = 0; h < count; h++) order_[h] = int32_t(h);
    std::sort(order_.begin(), order_.end(), [&](int32_t x, int32_t y) {
        const EncodedHaplotype &a = haplotypes[x], &b = haplotypes[y];
        const int order = memcmp(a.letters, b.letters, std::min(a.length, b.length));
        return order ? order < 0 : a.length < b.length;
    });

    // Distinct haplotypes by rank, and what each shares with the one before it.
    rank_first_.clear();
    shared_.clear();
    for (int64_t k = 0; k < count; k++) {
        const EncodedHaplotype &h = haplotypes[order_[k]];
        int64_t shared = 0;
        if (k) {
            const EncodedHaplotype &before = haplotypes[order_[k - 1]];
            shared = common_prefix(before, h);
            if (shared == h.length && shared == before.length) {
                trie->leaf_of[order_[k]] = int32_t(rank_first_.size()) - 1;
                continue;
            }
        }
        trie->leaf_of[order_[k]] = int32_t(rank_first_.size());
        rank_first_.push_back(order_[k]);
        shared_.push_back(shared);
    }
    const int32_t ranks = int32_t(rank_first_.size());
    trie->leaves = ranks;

    // A haplotype owns the columns after those it shares. Where a later one leaves it, it forks.
    forks_.clear();
    owners_.clear();
    for (int32_t k = 0; k < ranks; k++) {
        while (!owners_.empty() && shared_[owners_.back()] >= shared_[k]) owners_.pop_back();
        if (shared_[k] > 0) forks_.push_back({owners_.back(), shared_[k]});
        owners_.push_back(k);
    }
    std::sort(forks_.begin(), forks_.end(), [](const Fork &a, const Fork &b) {
        return a.owner != b.owner ? a.owner < b.owner : a.depth < b.depth;
    });
    forks_.erase(std::unique(forks_.begin(), forks_.end(),
                             [](const Fork &a, const Fork &b) {
                                 return a.owner == b.owner && a.depth == b.depth;
                             }),
                 forks_.end());

    // Depth first: a slot is a place on the stack of forks on the path to the current column.
    saved_depths_.clear();
    trie->slots = 0;
    size_t fork = 0;
    for (int32_t k = 0; k < ranks; k++) {
        const EncodedHaplotype &h = haplotypes[rank_first_[k]];
        while (!saved_depths_.empty() && saved_depths_.back() > shared_[k]) saved_depths_.pop_back();
        int32_t load = shared_[k] > 0 ? int32_t(saved_depths_.size()) - 1 : -1;
        for (int64_t depth = shared_[k]; depth < h.length;) {
            Branch branch;
            branch.column = int32_t(trie->letters.size());
            branch.load = load;
            const bool forks = fork < forks_.size() && forks_[fork].owner == k;
            const int64_t end = forks ? forks_[fork].depth : h.length;
            branch.length = int32_t(end - depth);
            branch.leaf = end == h.length ? k : -1;
            branch.save = -1;
            if (forks) {
                fork++;
                branch.save = int32_t(saved_depths_.size());
                saved_depths_.push_back(end);
                trie->slots = std::max(trie->slots, int32_t(saved_depths_.size()));
            }
            load = branch.save;
            trie->letters.insert(trie->letters.end(), h.letters + depth, h.letters + end);
            trie->branches.push_back(branch);
            depth = end;
        }
    }
}

}  // namespace pairhmm
}  // namespace gkl_shim

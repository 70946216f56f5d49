#include "pairhmm/plan.h"

#include <string.h>

#include <algorithm>

namespace gkl_shim {
namespace pairhmm {
namespace {

int64_t common_prefix(const Letters &a, const Letters &b) {
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

void TrieBuilder::build(const Letters *sequences, int64_t count, Trie *trie) {
    trie->letters.clear();
    trie->branches.clear();
    trie->leaf_of.resize(count);
    order_.resize(count);
    for (int64_t h = 0; h < count; h++) order_[h] = int32_t(h);
    std::sort(order_.begin(), order_.end(), [&](int32_t x, int32_t y) {
        const Letters &a = sequences[x], &b = sequences[y];
        const int order = memcmp(a.letters, b.letters, std::min(a.length, b.length));
        return order ? order < 0 : a.length < b.length;
    });

    // Distinct sequences by rank, and what each shares with the one before it.
    first_of_rank_.clear();
    shared_.clear();
    for (int64_t k = 0; k < count; k++) {
        const Letters &h = sequences[order_[k]];
        int64_t shared = 0;
        if (k) {
            const Letters &before = sequences[order_[k - 1]];
            shared = common_prefix(before, h);
            if (shared == h.length && shared == before.length) {
                trie->leaf_of[order_[k]] = int32_t(first_of_rank_.size()) - 1;
                continue;
            }
        }
        trie->leaf_of[order_[k]] = int32_t(first_of_rank_.size());
        first_of_rank_.push_back(order_[k]);
        shared_.push_back(shared);
    }
    const int32_t ranks = int32_t(first_of_rank_.size());
    trie->leaves = ranks;

    // A sequence owns the columns after those it shares. Where a later one leaves it, it forks.
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
        const Letters &h = sequences[first_of_rank_[k]];
        while (!saved_depths_.empty() && saved_depths_.back() > shared_[k])
            saved_depths_.pop_back();
        int32_t load = shared_[k] > 0 ? int32_t(saved_depths_.size()) - 1 : -1;
        int64_t depth = shared_[k];
        do {
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
        } while (depth < h.length);
    }
}

void Planner::make(const Letters *haplotypes, int64_t count, Plan *plan) {
    parts_.resize(count);
    int64_t letters = 0;
    for (int64_t h = 0; h < count; h++) {
        parts_[h] = {haplotypes[h].letters, head_length(haplotypes[h].length)};
        letters += haplotypes[h].length - parts_[h].length;
    }
    builder_.build(parts_.data(), count, &plan->heads);

    reversed_.resize(letters);
    uint8_t *next = reversed_.data();
    for (int64_t h = 0; h < count; h++) {
        const uint8_t *begin = haplotypes[h].letters + parts_[h].length;
        const uint8_t *end = haplotypes[h].letters + haplotypes[h].length;
        std::reverse_copy(begin, end, next);
        parts_[h] = {next, end - begin};
        next += end - begin;
    }
    builder_.build(parts_.data(), count, &plan->tails);

    order_.resize(count);
    for (int64_t h = 0; h < count; h++) order_[h] = int32_t(h);
    const std::vector<int32_t> &head = plan->heads.leaf_of, &tail = plan->tails.leaf_of;
    std::sort(order_.begin(), order_.end(), [&](int32_t x, int32_t y) {
        return tail[x] != tail[y] ? tail[x] < tail[y] : head[x] < head[y];
    });
    plan->joins.clear();
    plan->first_join.assign(size_t(plan->tails.leaves) + 1, 0);
    plan->join_of.resize(count);
    for (const int32_t h : order_) {
        const Join *last = plan->joins.empty() ? nullptr : &plan->joins.back();
        if (!last || last->head != head[h] || last->tail != tail[h]) {
            plan->joins.push_back({head[h], tail[h], double(haplotypes[h].length)});
            plan->first_join[tail[h] + 1] = int32_t(plan->joins.size());
        }
        plan->join_of[h] = int32_t(plan->joins.size()) - 1;
    }
}

}  // namespace pairhmm
}  // namespace gkl_shim

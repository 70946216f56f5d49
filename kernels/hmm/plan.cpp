#include "hmm/plan.h"

#include <string.h>

#include <algorithm>

namespace gkl_shim::hmm {

int64_t common_prefix(const Letters &a, const Letters &b, int64_t from) {
    const int64_t n = std::min(a.length, b.length);
    int64_t k = from;
    for (; k + 8 <= n; k += 8) {
        uint64_t x, y;
        memcpy(&x, a.letters + k, 8);
        memcpy(&y, b.letters + k, 8);
        if (x != y)
            return k +
                   (__builtin_ctzll(x ^ y) >> 3);  // little-endian, as on all supported platforms
    }
    while (k < n && a.letters[k] == b.letters[k]) k++;
    return k;
}

void reverse(const uint8_t *from, int64_t count, uint8_t *to) {
    int64_t k = 0;
    for (; k + 8 <= count; k += 8) {
        uint64_t letters;
        memcpy(&letters, from + count - k - 8, 8);
        letters = __builtin_bswap64(letters);
        memcpy(to + k, &letters, 8);
    }
    for (; k < count; k++) to[k] = from[count - 1 - k];
}

void TrieBuilder::build(const Haplotype *haplotypes, int64_t count, int32_t alphabet, Trie *heads,
                        Trie *tails) {
    sequences_.resize(size_t(count));
    int64_t letters = 0;
    for (int64_t h = 0; h < count; h++) {
        sequences_[size_t(h)] = {haplotypes[h].letters, haplotypes[h].cut};
        letters += haplotypes[h].length - haplotypes[h].cut;
    }
    build(alphabet, heads);

    reversed_letters_.resize(size_t(letters));
    uint8_t *next = reversed_letters_.data();
    for (int64_t h = 0; h < count; h++) {
        const int64_t cut = haplotypes[h].cut, length = haplotypes[h].length - cut;
        reverse(haplotypes[h].letters + cut, length, next);
        sequences_[size_t(h)] = {next, length};
        next += length;
    }
    build(alphabet, tails);
}

void TrieBuilder::build(int32_t alphabet, Trie *trie) {
    const Letters *const sequences = sequences_.data();
    const int64_t count = int64_t(sequences_.size());
    int64_t letters = 0;
    for (const Letters &sequence : sequences_) letters += sequence.length;
    trie->letters.resize(size_t(letters));
    trie->branches.clear();
    trie->leaf_of.resize(size_t(count));
    trie->leaves = trie->slots = 0;
    order_.resize(size_t(count));
    sorted_order_.resize(size_t(count));
    letter_begins_.resize(size_t(alphabet) + 2);
    next_places_.resize(size_t(alphabet) + 1);
    for (int64_t h = 0; h < count; h++) order_[size_t(h)] = int32_t(h);
    stack_.clear();
    if (count) stack_.push_back({0, int32_t(count), 0, 0, kRoot});
    int32_t columns = 0;
    while (!stack_.empty()) {
        const Subtree here = stack_.back();
        stack_.pop_back();
        int32_t *const begin = order_.data() + here.begin, *const end = order_.data() + here.end;
        // One branch, as far as all sequences agree.
        Letters common = sequences[*begin];
        for (const int32_t *k = begin + 1; k < end; k++)
            common.length = common_prefix(common, sequences[*k], here.depth);
        const int32_t length = int32_t(common.length - here.depth);
        Branch branch = {columns, length, here.load, -1, -1};
        // Not memcpy: without letters both are null.
        std::copy_n(common.letters + here.depth, length, trie->letters.data() + columns);
        columns += length;

        // Sequences that end here come first, then the others by their next letter.
        std::fill(letter_begins_.begin(), letter_begins_.end(), 0);
        int32_t *const at = letter_begins_.data(), *const to = next_places_.data();
        const auto next_of = [&](int32_t h) {
            const Letters &sequence = sequences[h];
            return sequence.length == common.length ? 0 : 1 + sequence.letters[common.length];
        };
        if (end - begin == 1) {
            at[1] = 1;
        } else {
            for (const int32_t *k = begin; k < end; k++) at[1 + next_of(*k)]++;
            for (int next = 0; next <= alphabet; next++) at[next + 1] += at[next];
            std::copy(begin, end, sorted_order_.data());
            std::copy(at, at + alphabet + 1, to);
            for (int32_t k = 0; k < end - begin; k++) {
                const int32_t h = sorted_order_[size_t(k)];
                begin[to[next_of(h)]++] = h;
            }
        }
        if (at[1] > 0) {
            branch.leaf = trie->leaves++;
            for (int32_t k = 0; k < at[1]; k++) trie->leaf_of[size_t(begin[k])] = branch.leaf;
        }
        if (at[1] < end - begin) {
            // A slot is a place in the stack of forks on the path to the current column.
            int32_t slots = here.slots;
            if (common.length > 0) {
                branch.save = slots++;
                trie->slots = std::max(trie->slots, slots);
            }
            for (int next = alphabet; next > 0; next--)
                if (at[next] < at[next + 1])
                    stack_.push_back({here.begin + at[next], here.begin + at[next + 1],
                                      common.length, slots, branch.save});
        }
        if (branch.length > 0 || branch.leaf >= 0) trie->branches.push_back(branch);
    }
    trie->letters.resize(size_t(columns));
}

void Plan::list_joins(const Haplotype *haplotypes, int64_t count) {
    order_.resize(size_t(count));
    for (int64_t h = 0; h < count; h++) order_[size_t(h)] = int32_t(h);
    const std::vector<int32_t> &head = heads.leaf_of, &tail = tails.leaf_of;
    std::sort(order_.begin(), order_.end(), [&](int32_t x, int32_t y) {
        return tail[size_t(x)] != tail[size_t(y)] ? tail[size_t(x)] < tail[size_t(y)]
                                                  : head[size_t(x)] < head[size_t(y)];
    });
    joins.clear();
    first_join.assign(size_t(tails.leaves) + 1, 0);
    join_of.resize(size_t(count));
    for (const int32_t h : order_) {
        const Join join = {head[size_t(h)], tail[size_t(h)], double(haplotypes[h].length)};
        if (joins.empty() || joins.back().head != join.head || joins.back().tail != join.tail) {
            joins.push_back(join);
            first_join[size_t(join.tail) + 1] = int32_t(joins.size());
        }
        join_of[size_t(h)] = int32_t(joins.size()) - 1;
    }
}

}  // namespace gkl_shim::hmm

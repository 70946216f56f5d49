#include "pdhmm/plan.h"

#include <algorithm>
#include <stdexcept>

namespace gkl_shim {
namespace pdhmm {
namespace {

// Bits of letter sets. A base that is no ACGTN has a bit if a haplotype has it. Of a read's other
// bases none matches a column with letters, and all have one bit.
enum : int { kUpperBits = 0, kLowerBits = 4, kOtherBits = 8, kUnmatchedBit = 63 };

constexpr char kBases[] = "ACGT";
constexpr uint8_t kAlternatives[] = {kAlternativeA, kAlternativeC, kAlternativeG, kAlternativeT};

constexpr LetterSet bit(int k) { return LetterSet(1) << k; }

int64_t common_prefix(const uint16_t *a, const uint16_t *b, int64_t from, int64_t end) {
    return std::mismatch(a + from, a + end, b + from).first - a;
}

}  // namespace

Alphabet make_alphabet(bool as_gatk, const uint8_t *haplotype_bases, int64_t count) {
    Alphabet alphabet;
    alphabet.others = 0;
    for (LetterSet &letters : alphabet.letters) letters = bit(kUnmatchedBit);
    for (int k = 0; k < 4; k++) {
        alphabet.letters[int(kBases[k])] = bit(kUpperBits + k);
        alphabet.letters[kBases[k] | 32] = bit(as_gatk ? kLowerBits + k : kUpperBits + k);
    }
    alphabet.letters[int('N')] = kAnyLetter;
    if (!as_gatk) {
        alphabet.letters[int('n')] = kAnyLetter;
        return alphabet;
    }
    int next = kOtherBits;
    for (int64_t k = 0; k < count; k++) {
        LetterSet &letters = alphabet.letters[haplotype_bases[k]];
        if (letters != bit(kUnmatchedBit)) continue;
        // There are fewer bits than bytes. The last ones share one.
        letters = bit(next);
        alphabet.others |= letters;
        if (next + 1 < kUnmatchedBit) next++;
    }
    return alphabet;
}

LetterSet letters_of(const Alphabet &alphabet, uint8_t base, uint8_t flags) {
    LetterSet letters = alphabet.letters[base];
    if (flags & kSnp)
        for (int k = 0; k < 4; k++)
            if (flags & kAlternatives[k])
                letters |= alphabet.letters[int(kBases[k])] | alphabet.letters[kBases[k] | 32];
    return letters;
}

void find_deletions(const uint8_t *flags, int64_t length, std::vector<Deletion> *deletions) {
    deletions->clear();
    bool inside = false;
    int64_t first = 0, first_flag = -1;
    for (int64_t k = 0; k < length; k++) {
        if (!(flags[k] & (kDeletionStart | kDeletionEnd))) continue;
        if (first_flag < 0) first_flag = k;
        if (!inside) first = k;
        inside = !(flags[k] & kDeletionEnd);
        // The column before the first one is zero.
        if (!inside && first > 0) deletions->push_back({first, k, false});
    }
    if (inside && !deletions->empty() && deletions->front().first == first_flag)
        deletions->front().open = true;
}

void Plan::resolve(const Haplotype &haplotype, Symbol *symbols, int64_t *cut) {
    for (int64_t k = 0; k < haplotype.length; k++)
        symbols[k] = class_of(letters_of(alphabet_, haplotype.bases[k], haplotype.flags[k]));
    find_deletions(haplotype.flags, haplotype.length, &deletions_);
    *cut = haplotype.length / 2;
    for (const Deletion &deletion : deletions_) {
        symbols[deletion.first - 1] |= Symbol((deletion.open ? kKeepOpen : kKeep) << 8);
        symbols[deletion.last] |= Symbol(kMerge << 8);
        *cut = std::max(*cut, deletion.last + 1);
    }
}

// There are few classes, and the one wanted is among the first.
uint8_t Plan::class_of(LetterSet letters) {
    size_t k = 0;
    while (k < classes_.size() && classes_[k] != letters) k++;
    if (k == classes_.size()) {
        if (k == 256) throw std::length_error("a region has more than 256 kinds of columns");
        classes_.push_back(letters);
    }
    return uint8_t(k);
}

void Plan::make(const Alphabet &alphabet, const Haplotype *haplotypes, int64_t count) {
    alphabet_ = alphabet;
    classes_.clear();
    int64_t letters = 0;
    for (int64_t h = 0; h < count; h++) letters += haplotypes[h].length;
    symbols_.resize(size_t(letters));
    parts_.resize(size_t(count));
    cuts_.resize(size_t(count));
    Symbol *next = symbols_.data();
    for (size_t h = 0; h < size_t(count); h++) {
        resolve(haplotypes[h], next, &cuts_[h]);
        parts_[h] = {next, cuts_[h]};
        next += haplotypes[h].length;
    }
    build(parts_, &heads_);
    next = symbols_.data();
    for (size_t h = 0; h < size_t(count); h++) {
        Symbol *const tail = next + cuts_[h];
        next += haplotypes[h].length;
        std::reverse(tail, next);
        parts_[h] = {tail, next - tail};
    }
    build(parts_, &tails_);

    const std::vector<int32_t> &head = heads_.leaf_of, &tail = tails_.leaf_of;
    order_.resize(size_t(count));
    for (size_t h = 0; h < size_t(count); h++) order_[h] = int32_t(h);
    std::sort(order_.begin(), order_.end(), [&](int32_t x, int32_t y) {
        return tail[x] != tail[y] ? tail[x] < tail[y] : head[x] < head[y];
    });
    joins_.clear();
    first_join_.assign(size_t(tails_.leaves) + 1, 0);
    join_of_.resize(size_t(count));
    for (const int32_t h : order_) {
        const Join *last = joins_.empty() ? nullptr : &joins_.back();
        if (!last || last->head != head[h] || last->tail != tail[h]) {
            joins_.push_back({head[h], tail[h], double(haplotypes[h].length)});
            first_join_[size_t(tail[h]) + 1] = int32_t(joins_.size());
        }
        join_of_[size_t(h)] = int32_t(joins_.size()) - 1;
    }
}

void Plan::build(const std::vector<Sequence> &sequences, Trie *trie) {
    const auto at = [&](int32_t k) -> const Sequence & { return sequences[size_t(k)]; };
    trie->classes.clear();
    trie->branches.clear();
    trie->leaf_of.resize(sequences.size());
    trie->leaves = trie->slots = 0;
    trie->any_events = false;
    order_.resize(sequences.size());
    for (size_t k = 0; k < sequences.size(); k++) order_[k] = int32_t(k);
    std::sort(order_.begin(), order_.end(), [&](int32_t x, int32_t y) {
        const Sequence &a = at(x), &b = at(y);
        const int64_t shorter = std::min(a.length, b.length);
        const int64_t same = common_prefix(a.symbols, b.symbols, 0, shorter);
        return same < shorter ? a.symbols[same] < b.symbols[same] : a.length < b.length;
    });
    pending_.assign(1, {0, int32_t(sequences.size()), 0, 0, kRoot});
    while (!pending_.empty()) {
        const Subtree here = pending_.back();
        pending_.pop_back();
        // In sorted order the first and the last sequence differ first.
        const Sequence &common = at(order_[size_t(here.begin)]);
        const Sequence &last = at(order_[size_t(here.end) - 1]);
        const int64_t depth = common_prefix(common.symbols, last.symbols, here.depth,
                                            std::min(common.length, last.length));
        Branch branch = {0, 0, here.load, -1, -1, 0};
        int32_t begin = here.begin;
        for (; begin < here.end && at(order_[size_t(begin)]).length == depth; begin++) {
            if (branch.leaf < 0) branch.leaf = trie->leaves++;
            trie->leaf_of[size_t(order_[size_t(begin)])] = branch.leaf;
        }
        int32_t slots = here.slots, load = kRoot;
        if (begin < here.end && depth > 0) {
            load = branch.save = slots++;
            trie->slots = std::max(trie->slots, slots);
        }
        if (depth > here.depth || branch.leaf >= 0)
            add_branches(common.symbols + here.depth, depth - here.depth, branch, trie);
        // The last subtree is pushed first, so that the first is computed next.
        for (int32_t end = here.end; end > begin;) {
            const auto next = at(order_[size_t(end) - 1]).symbols[depth];
            int32_t from = end - 1;
            while (from > begin && at(order_[size_t(from) - 1]).symbols[depth] == next) from--;
            pending_.push_back({from, end, depth, slots, load});
            end = from;
        }
    }
}

// Divides columns so that each one with events is a separate branch. `last` has the load of the
// first branch, and the save and leaf of the last one.
void Plan::add_branches(const Symbol *symbols, int64_t length, Branch last, Trie *trie) {
    Branch branch = {int32_t(trie->classes.size()), 0, last.load, -1, -1, 0};
    const auto add = [&](uint8_t events) {
        branch.events = events;
        trie->any_events |= events != 0;
        trie->branches.push_back(branch);
        branch = {int32_t(trie->classes.size()), 0, kGoOn, -1, -1, 0};
    };
    for (int64_t k = 0; k < length; k++) {
        const uint8_t events = uint8_t(symbols[k] >> 8);
        if (events && branch.length > 0) add(0);
        trie->classes.push_back(uint8_t(symbols[k]));
        branch.length++;
        if (events) add(events);
    }
    if (branch.length > 0 || length == 0) add(0);
    trie->branches.back().save = last.save;
    trie->branches.back().leaf = last.leaf;
}

}  // namespace pdhmm
}  // namespace gkl_shim

#include "hmm/pdhmm/plan.h"

#include <algorithm>

namespace gkl_shim::pdhmm {
namespace {

// Bits of letter sets. A base that is no ACGTN has a bit if a haplotype has it. Of a read's other
// bases none matches a column with letters, and all have one bit.
enum : int { kUpperBits = 0, kLowerBits = 4, kOtherBits = 8, kUnmatchedBit = 63 };

constexpr char kBases[] = "ACGT";
constexpr uint8_t kAlternatives[] = {kAlternativeA, kAlternativeC, kAlternativeG, kAlternativeT};

// N's set.
constexpr LetterSet kAnyLetter = ~LetterSet(0);

constexpr LetterSet bit(int k) { return LetterSet(1) << k; }

}  // namespace

Alphabet make_alphabet(bool as_gatk, const uint8_t *haplotype_bases, int64_t count) {
    Alphabet alphabet;
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
        // There are fewer bits than bytes. The last ones share one, so they match each other.
        letters = bit(next);
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

bool Planner::resolve(const Alphabet &alphabet, const Haplotype &haplotype, uint8_t *columns,
                      Plan *plan) {
    find_deletions(haplotype.flags, haplotype.length, &deletions_);
    Haplotype resolved(columns, haplotype.length);
    std::fill_n(columns, haplotype.length, uint8_t(0));
    for (const Deletion &deletion : deletions_) {
        columns[deletion.first - 1] |= deletion.open ? kKeepOpen : kKeep;
        columns[deletion.last] |= kMerge;
        resolved.cut = std::max(resolved.cut, deletion.last + 1);
    }
    for (int64_t k = 0; k < haplotype.length; k++) {
        const LetterSet letters = letters_of(alphabet, haplotype.letters[k], haplotype.flags[k]);
        if (!kind_of(letters, columns[k], plan, &columns[k])) return false;
    }
    resolved_.push_back(resolved);
    return true;
}

// There are few kinds, and the one wanted is among the first.
bool Planner::kind_of(LetterSet letters, uint8_t events, Plan *plan, uint8_t *kind) {
    for (size_t k = 0; k < kinds_.size(); k++)
        if (kinds_[k].events == events && plan->classes[kinds_[k].column_class] == letters) {
            *kind = uint8_t(k);
            return true;
        }
    if (kinds_.size() == 256) return false;
    const auto known = std::find(plan->classes.begin(), plan->classes.end(), letters);
    *kind = uint8_t(kinds_.size());
    kinds_.push_back({uint8_t(known - plan->classes.begin()), events});
    if (known == plan->classes.end()) plan->classes.push_back(letters);
    return true;
}

bool Planner::make(const Alphabet &alphabet, const Haplotype *haplotypes, int64_t count,
                   Plan *plan) {
    plan->letters = alphabet.letters;
    plan->classes.clear();
    kinds_.clear();
    resolved_.clear();
    int64_t letters = 0;
    for (int64_t h = 0; h < count; h++) letters += haplotypes[h].length;
    columns_.resize(size_t(letters));
    uint8_t *columns = columns_.data();
    for (int64_t h = 0; h < count; h++) {
        if (!resolve(alphabet, haplotypes[h], columns, plan)) return false;
        columns += haplotypes[h].length;
    }
    builder_.build(resolved_.data(), count, int32_t(kinds_.size()), &plan->heads, &plan->tails);
    plan->list_joins(resolved_.data(), count);

    plan->any_events =
        std::any_of(kinds_.begin(), kinds_.end(), [](Kind kind) { return kind.events != 0; });
    if (plan->any_events) divide_branches(plan);
    for (Trie *trie : {&plan->heads, &plan->tails})
        for (uint8_t &letter : trie->letters) letter = kinds_[letter].column_class;
    return true;
}

// Divides the heads' branches so that each column with events is a separate branch.
void Planner::divide_branches(Plan *plan) {
    branches_.clear();
    for (const Branch &whole : plan->heads.branches) {
        Branch branch = {whole.column, 0, whole.load, -1, -1};
        const auto add = [&](uint8_t events) {
            branch.events = events;
            branches_.push_back(branch);
            branch = {branch.column + branch.length, 0, kGoOn, -1, -1};
        };
        for (int32_t k = whole.column; k < whole.column + whole.length; k++) {
            const uint8_t events = kinds_[plan->heads.letters[size_t(k)]].events;
            if (events && branch.length > 0) add(0);
            branch.length++;
            if (events) add(events);
        }
        if (branch.length > 0 || whole.length == 0) add(0);
        branches_.back().save = whole.save;
        branches_.back().leaf = whole.leaf;
    }
    plan->heads.branches.swap(branches_);
}

}  // namespace gkl_shim::pdhmm

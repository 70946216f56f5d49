#include "hmm/pairhmm/plan.h"

namespace gkl_shim {
namespace pairhmm {

void Planner::make_tries(const Haplotype *haplotypes, int64_t count, Trie *heads, Trie *tails) {
    parts_.resize(count);
    int64_t letters = 0;
    for (int64_t h = 0; h < count; h++) {
        parts_[h] = {haplotypes[h].letters, haplotypes[h].cut};
        letters += haplotypes[h].length - parts_[h].length;
    }
    builder_.build(parts_.data(), count, kLetters, heads);

    reversed_letters_.resize(letters);
    uint8_t *next = reversed_letters_.data();
    for (int64_t h = 0; h < count; h++) {
        const int64_t length = haplotypes[h].length - parts_[h].length;
        reverse(haplotypes[h].letters + parts_[h].length, length, next);
        parts_[h] = {next, length};
        next += length;
    }
    builder_.build(parts_.data(), count, kLetters, tails);
}

void Planner::make(const Haplotype *haplotypes, int64_t count, Plan *plan) {
    make_tries(haplotypes, count, &plan->heads, &plan->tails);
    plan->list_joins(count, [&](int32_t h) { return haplotypes[h].length; });
}

}  // namespace pairhmm
}  // namespace gkl_shim

#include "hmm/pairhmm/cuts.h"

#include <algorithm>
#include <numeric>

namespace gkl_shim::pairhmm {
namespace {

// With fewer haplotypes, cuts in the middle leave at most 2% more columns on recorded regions.
constexpr int64_t kFewHaplotypes = 8;
// GATK's regions have a tenth of this.
constexpr int64_t kMaxLetters = int64_t(1) << 17;

bool is_less(const Letters &a, const Letters &b) {
    const int64_t k = common_prefix(a, b, 0);
    if (k == a.length || k == b.length) return a.length < b.length;
    return a.letters[k] < b.letters[k];
}

bool is_same(const Letters &a, const Letters &b) {
    return a.length == b.length && common_prefix(a, b, 0) == a.length;
}

// Whether all haplotypes of a region are the same, and so short that they are not cut.
bool is_uncut(const Haplotype *haplotypes, int64_t count) {
    if (count == 0 || haplotypes[0].length > kLongestUncut ||
        count * haplotypes[0].length > kMaxLetters)
        return false;
    return std::all_of(haplotypes + 1, haplotypes + count, [&](const Haplotype &haplotype) {
        return is_same(haplotype, haplotypes[0]);
    });
}

}  // namespace

void Cutter::choose(Haplotype *haplotypes, int64_t count) {
    if (count > kMaxHaplotypes) return;
    if (is_uncut(haplotypes, count)) {
        for (int64_t h = 0; h < count; h++) haplotypes[h].cut = haplotypes[h].length;
        return;
    }
    if (count < kFewHaplotypes || !find_distinct(haplotypes, count)) return;
    prefixes_.find_runs();
    suffixes_.find_runs();
    for (size_t k = 0; k < order_.size(); k++) haplotypes[order_[k]].cut = cut_of(sequence_[k]);
}

// Lists the distinct haplotypes, forwards and backwards. Returns false if the cuts stay in the
// middle.
bool Cutter::find_distinct(const Haplotype *haplotypes, int64_t count) {
    int64_t letters = 0;
    for (int64_t h = 0; h < count; h++) letters += haplotypes[h].length;
    if (letters > kMaxLetters) return false;
    order_.resize(size_t(count));
    std::iota(order_.begin(), order_.end(), 0);
    std::sort(order_.begin(), order_.end(),
              [&](int32_t x, int32_t y) { return is_less(haplotypes[x], haplotypes[y]); });
    std::vector<Letters> &distinct = prefixes_.sequences;
    distinct.clear();
    sequence_.resize(size_t(count));
    for (size_t k = 0; k < order_.size(); k++) {
        const Letters &letters_here = haplotypes[order_[k]];
        if (distinct.empty() || !is_same(distinct.back(), letters_here))
            distinct.push_back(letters_here);
        sequence_[k] = int32_t(distinct.size()) - 1;
    }
    if (int64_t(distinct.size()) < kFewHaplotypes) return false;
    prefixes_.order.resize(distinct.size());
    std::iota(prefixes_.order.begin(), prefixes_.order.end(), 0);

    reversed_letters_.resize(size_t(letters));
    uint8_t *next = reversed_letters_.data();
    suffixes_.sequences.clear();
    for (const Letters &sequence : distinct) {
        reverse(sequence.letters, sequence.length, next);
        suffixes_.sequences.push_back({next, sequence.length});
        next += sequence.length;
    }
    suffixes_.order = prefixes_.order;
    std::sort(suffixes_.order.begin(), suffixes_.order.end(), [&](int32_t x, int32_t y) {
        return is_less(suffixes_.sequences[size_t(x)], suffixes_.sequences[size_t(y)]);
    });
    return true;
}

void Cutter::Side::attach(int32_t run, int32_t parent) {
    runs[size_t(run)].parent = parent;
    runs[size_t(parent)].shared += runs[size_t(run)].shared;
}

// Neighbours in the order share the longest prefixes. A run is complete when the next sequence does
// not share it.
void Cutter::Side::find_runs() {
    runs.clear();
    for (const Letters &sequence : sequences) runs.push_back({int32_t(sequence.length), 1, -1});
    open.clear();
    for (size_t k = 0; k <= order.size(); k++) {
        int32_t common = 0;
        if (k > 0 && k < order.size())
            common = int32_t(
                common_prefix(sequences[size_t(order[k - 1])], sequences[size_t(order[k])], 0));
        int32_t complete = -1;
        while (!open.empty() && runs[size_t(open.back())].end > common) {
            if (complete >= 0) attach(complete, open.back());
            complete = open.back();
            open.pop_back();
        }
        if (complete >= 0 && common > 0 &&
            (open.empty() || runs[size_t(open.back())].end < common)) {
            open.push_back(int32_t(runs.size()));
            runs.push_back({common, 0, -1});
        }
        if (complete >= 0 && !open.empty()) attach(complete, open.back());
        if (k < order.size()) open.push_back(order[k]);
    }
}

// Columns that are shared equally on both sides may be in the head or in the tail. Then the cut is
// as near to the middle as possible.
int64_t Cutter::cut_of(int32_t sequence) {
    const int32_t length = int32_t(prefixes_.sequences[size_t(sequence)].length);
    path_.clear();
    for (int32_t run = sequence; run >= 0; run = prefixes_.runs[size_t(run)].parent)
        path_.push_back(run);
    std::reverse(path_.begin(), path_.end());
    int32_t least = 0, most = 0, suffix = sequence;
    for (size_t k = 0; most < length;) {
        const Run &head = prefixes_.runs[size_t(path_[k])];
        const Run &tail = suffixes_.runs[size_t(suffix)];
        const int32_t tail_end = length - suffixes_.begin(suffix);
        if (head.end <= most) {
            k++;
        } else if (tail_end <= most) {
            suffix = tail.parent;
        } else if (head.shared < tail.shared) {
            break;
        } else {
            most = std::min(head.end, tail_end);
            if (head.shared > tail.shared) least = most;
        }
    }
    // Each half has a letter.
    const int32_t cut = std::clamp(length / 2, least, most);
    return std::clamp(cut, std::min(1, length / 2), std::max(length - 1, 0));
}

}  // namespace gkl_shim::pairhmm

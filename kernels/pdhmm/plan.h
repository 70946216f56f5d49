// The plan of a region: what follows from its haplotypes, and the columns that they share.
//
// First each haplotype's flags are resolved: into a letter set for each column, and into the events
// of the columns that begin and end a deletion. Then it is cut. Haplotypes whose heads begin alike,
// events included, share those columns, and haplotypes whose tails end alike share those, as in
// PairHMM. So a region's heads make one trie, and its reversed tails another.
#pragma once

#include <stdint.h>

#include <vector>

#include "pdhmm/model.h"

namespace gkl_shim {
namespace pdhmm {

// A haplotype as the caller gives it.
struct Haplotype {
    const uint8_t *bases, *flags;
    int64_t length;
};

// Consecutive columns of a trie. Only a branch of one column has events.
struct Branch {
    int32_t column;  // index of its first column in TrieView::classes
    int32_t length;  // number of columns; 0 only for an empty sequence
    int32_t load;    // slot of the state that it starts from, or kRoot or kGoOn
    int32_t save;    // slot for the state after its last column, or -1
    int32_t leaf;    // the distinct sequence that ends with it, or -1
    uint8_t events;  // after its last column
};
enum { kRoot = -1, kGoOn = -2 };  // kGoOn: from the state after the branch before

// Tries and plans as kernels see them: plain pointers, because kernels use no C++ library.
struct TrieView {
    const uint8_t *classes;  // of each column: an index in PlanView::classes
    const Branch *branches;  // depth first
    int32_t columns, branch_count, leaves, slots;
    bool any_events;
};

// A distinct haplotype: one leaf of each trie.
struct Join {
    int32_t head, tail;
    double length;
};

struct PlanView {
    TrieView heads, tails;
    const Join *joins;          // sorted by tail
    const int32_t *first_join;  // first join of each tail, and the number of joins at the end
    int32_t join_count;
    const LetterSet *classes;  // the different letter sets of the columns
    int32_t class_count;
    const LetterSet *letters;  // the set of a read's base, by byte
};

// What the letters of a region mean.
struct Alphabet {
    LetterSet letters[256];
    uint64_t others;  // the bits of letters that are no bases and have one
};

// How letters are taken: `as_gatk` compares bytes as GATK does. Otherwise lower case counts as
// upper case. All other letters are refused before.
Alphabet make_alphabet(bool as_gatk, const uint8_t *haplotype_bases, int64_t count);

// The letters that match a column.
LetterSet letters_of(const Alphabet &alphabet, uint8_t base, uint8_t flags);

// The columns of a deletion. `open`: of a haplotype that ends inside a deletion, its first.
struct Deletion {
    int64_t first, last;
    bool open;
};

// Finds the deletions of a haplotype that change a likelihood, from left to right.
void find_deletions(const uint8_t *flags, int64_t length, std::vector<Deletion> *deletions);

struct Trie {
    std::vector<uint8_t> classes;
    std::vector<Branch> branches;
    std::vector<int32_t> leaf_of;  // leaf of each sequence, in the order given
    int32_t leaves, slots;
    bool any_events;

    TrieView view() const {
        return {classes.data(),
                branches.data(),
                int32_t(classes.size()),
                int32_t(branches.size()),
                leaves,
                slots,
                any_events};
    }
};

class Plan {
   public:
    // Plans haplotypes. Throws std::bad_alloc.
    void make(const Alphabet &alphabet, const Haplotype *haplotypes, int64_t count);

    int64_t columns() const { return int64_t(heads_.classes.size() + tails_.classes.size()); }
    PlanView view() const {
        return {heads_.view(),
                tails_.view(),
                joins_.data(),
                first_join_.data(),
                int32_t(joins_.size()),
                classes_.data(),
                int32_t(classes_.size()),
                alphabet_.letters};
    }
    // The join of a haplotype, in the order given.
    int32_t join_of(int64_t haplotype) const { return join_of_[size_t(haplotype)]; }

   private:
    // A column of a haplotype: its class, and its events times 256.
    typedef uint16_t Symbol;
    struct Sequence {
        const Symbol *symbols;
        int64_t length;
    };
    // Sequences with a common beginning.
    struct Subtree {
        int32_t begin, end;   // range in order_
        int64_t depth;        // columns that are in a branch already
        int32_t slots, load;  // slots in use on the path to here; where to start from
    };

    void resolve(const Haplotype &haplotype, Symbol *symbols, int64_t *cut);
    uint8_t class_of(LetterSet letters);
    void build(const std::vector<Sequence> &sequences, Trie *trie);
    void add_branches(const Symbol *symbols, int64_t length, Branch last, Trie *trie);

    Alphabet alphabet_;
    std::vector<LetterSet> classes_;
    Trie heads_, tails_;
    std::vector<Join> joins_;
    std::vector<int32_t> first_join_, join_of_;

    std::vector<Symbol> symbols_;
    std::vector<Sequence> parts_;
    std::vector<int64_t> cuts_;
    std::vector<Deletion> deletions_;
    std::vector<int32_t> order_;
    std::vector<Subtree> pending_;
};

}  // namespace pdhmm
}  // namespace gkl_shim

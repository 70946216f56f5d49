// The plan of a region: what is computed once for several pairs, and in which order.
//
// The recurrence is linear, so a haplotype can be computed from both ends. It is cut in the middle:
// the forward recurrence runs over its head, the backward one over its tail, and where they meet
// each row's forward values are multiplied by its backward ones. Haplotypes whose heads begin alike
// share those columns, and so do those whose tails end alike: a region's distinct heads make one
// trie, its distinct tails, reversed, another. Haplotypes of a region differ in a few places, most
// often near its middle, and a trie over whole haplotypes shares nothing behind the first of them.
//
// A trie is a list of branches, depth first, each a run of columns; an engine walks the list and
// keeps its state at a fork until the last branch that leaves there is done. Pure CPU work, the
// same for every engine.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <vector>

#include "pairhmm/model.h"

namespace gkl_shim {
namespace pairhmm {

// An encoded sequence.
struct Letters {
    const uint8_t *letters;
    int64_t length;
};

// A run of consecutive columns of a trie.
struct Branch {
    int32_t column;  // its first column, an index into Trie::letters
    int32_t length;  // how many; 0 only for an empty sequence
    int32_t load;    // the slot whose state it starts from, or -1: the root
    int32_t save;    // the slot to keep the state after its last column in, or -1
    int32_t leaf;    // the distinct sequence that ends with it, or -1
};

// What an engine sees of a trie and of a plan: plain pointers, for code that is compiled for one
// instruction set must not share the C++ library's functions with the rest.
struct TrieView {
    const uint8_t *letters;
    const Branch *branches;
    int32_t columns, branch_count, leaves, slots;
};

// A distinct haplotype: a leaf of either trie.
struct Join {
    int32_t head, tail;
    double length;
};

struct PlanView {
    TrieView heads, tails;
    const Join *joins;          // by tail
    const int32_t *first_join;  // of each tail, and one more
    int32_t join_count;
};

struct Trie {
    std::vector<uint8_t> letters;  // one a column
    std::vector<Branch> branches;  // depth first
    std::vector<int32_t> leaf_of;  // sequence (as given) -> leaf
    int32_t leaves = 0, slots = 0;

    int64_t columns() const { return int64_t(letters.size()); }
    TrieView view() const {
        return {letters.data(),           branches.data(), int32_t(columns()),
                int32_t(branches.size()), leaves,          slots};
    }
};

class TrieBuilder {
   public:
    // Any sequences in any order; repeats share a leaf. Reuses the trie's memory.
    void build(const Letters *sequences, int64_t count, Trie *trie);

   private:
    // Sequences with a common beginning.
    struct Subtree {
        int32_t begin, end;   // in order_
        int64_t depth;        // columns that have a branch already
        int32_t slots, load;  // slots on the path to here; the slot that it starts from, or -1
    };
    std::vector<int32_t> order_, sorted_;
    std::vector<Subtree> pending_;  // the next one last
};

// Where a haplotype of this length is cut: a function of the haplotype alone, so that its results
// do not depend on its company.
inline int64_t head_length(int64_t haplotype_length) { return haplotype_length / 2; }

struct Plan {
    Trie heads, tails;                // tails reversed
    std::vector<Join> joins;          // by tail
    std::vector<int32_t> first_join;  // of each tail, and one more
    std::vector<int32_t> join_of;     // haplotype (as given) -> join

    int64_t columns() const { return heads.columns() + tails.columns(); }
    PlanView view() const {
        return {heads.view(), tails.view(), joins.data(), first_join.data(), int32_t(joins.size())};
    }
};

class Planner {
   public:
    // Reuses the plan's memory.
    void make(const Letters *haplotypes, int64_t count, Plan *plan);

    // The tries alone.
    void make_tries(const Letters *haplotypes, int64_t count, Trie *heads, Trie *tails);

    // What rare long haplotypes needed is not kept for ever.
    void trim(size_t most) {
        if (reversed_.capacity() > most) std::vector<uint8_t>().swap(reversed_);
    }

   private:
    TrieBuilder builder_;
    std::vector<Letters> parts_;
    std::vector<uint8_t> reversed_;
    std::vector<int32_t> order_;
};

}  // namespace pairhmm
}  // namespace gkl_shim

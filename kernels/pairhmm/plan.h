// The plan of a region: the columns that several pairs share, and the order in which they are
// computed.
//
// The recurrence is linear, so a haplotype can be computed from both ends. It is cut in two. The
// forward recurrence runs over its head, the backward recurrence over its tail, and the join
// multiplies each row's forward values with its backward values. Haplotypes whose heads begin alike
// share those columns; haplotypes whose tails end alike share those. So a region's distinct heads
// make one trie, and its distinct tails, reversed, another. A region's haplotypes differ in few
// places. A single trie over whole haplotypes would share nothing after the first difference.
//
// A trie is a list of branches, depth first. Each branch is a run of columns. An engine walks the
// list and keeps its state at a fork until the last branch that leaves there is done. Planning runs
// on the CPU and is the same for every engine.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <vector>

#include "pairhmm/cuts.h"
#include "pairhmm/haplotype.h"
#include "pairhmm/model.h"

namespace gkl_shim {
namespace pairhmm {

// Consecutive columns of a trie.
struct Branch {
    int32_t column;  // index of its first column in Trie::letters
    int32_t length;  // number of columns; 0 only for an empty sequence
    int32_t load;    // slot of the state that it starts from, or -1 for the root
    int32_t save;    // slot for the state after its last column, or -1
    int32_t leaf;    // the distinct sequence that ends with it, or -1
};

// Tries and plans as engines see them: plain pointers. Code compiled for one instruction set must
// not share C++ library functions with the rest of the library.
struct TrieView {
    const uint8_t *letters;
    const Branch *branches;
    int32_t columns, branch_count, leaves, slots;
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
};

struct Trie {
    std::vector<uint8_t> letters;  // one for each column
    std::vector<Branch> branches;  // depth first
    std::vector<int32_t> leaf_of;  // leaf of each sequence, in the order given
    int32_t leaves = 0, slots = 0;

    int64_t columns() const { return int64_t(letters.size()); }
    TrieView view() const {
        return {letters.data(),           branches.data(), int32_t(columns()),
                int32_t(branches.size()), leaves,          slots};
    }
};

class TrieBuilder {
   public:
    // Builds the trie of any sequences in any order. Equal sequences share a leaf. Reuses the
    // trie's memory.
    void build(const Letters *sequences, int64_t count, Trie *trie);

   private:
    // Sequences with a common beginning.
    struct Subtree {
        int32_t begin, end;   // range in order_
        int64_t depth;        // columns that are in a branch already
        int32_t slots, load;  // slots in use on the path to here; slot to start from, or -1
    };
    std::vector<int32_t> order_, sorted_;
    std::vector<Subtree> pending_;  // a stack
};

struct Plan {
    Trie heads, tails;                // of reversed tails
    std::vector<Join> joins;          // sorted by tail
    std::vector<int32_t> first_join;  // first join of each tail, and the number of joins at the end
    std::vector<int32_t> join_of;     // join of each haplotype, in the order given

    int64_t columns() const { return heads.columns() + tails.columns(); }
    PlanView view() const {
        return {heads.view(), tails.view(), joins.data(), first_join.data(), int32_t(joins.size())};
    }
};

class Planner {
   public:
    // Chooses the cuts of a region's haplotypes. It must be given all of them.
    void cut(Haplotype *haplotypes, int64_t count) { cutter_.choose(haplotypes, count); }

    // Plans haplotypes. Reuses the plan's memory.
    void make(const Haplotype *haplotypes, int64_t count, Plan *plan);

    // Builds the tries alone.
    void make_tries(const Haplotype *haplotypes, int64_t count, Trie *heads, Trie *tails);

    // Frees buffers that a rare long haplotype has made larger than `most` bytes.
    void trim(size_t most) {
        if (reversed_.capacity() > most) std::vector<uint8_t>().swap(reversed_);
    }

   private:
    Cutter cutter_;
    TrieBuilder builder_;
    std::vector<Letters> parts_;
    std::vector<uint8_t> reversed_;
    std::vector<int32_t> order_;
};

}  // namespace pairhmm
}  // namespace gkl_shim

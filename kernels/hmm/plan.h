// Tries and plans: which columns several haplotypes share, and the order in which they are
// computed.
//
// A trie is a list of branches, depth first. Each branch is a run of columns. An engine walks the
// list and keeps its state at a fork until the last branch that leaves there is done. A plan has
// two tries: of a region's distinct heads, and of its distinct tails, reversed. A join stands for a
// distinct haplotype.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <vector>

namespace gkl_shim::hmm {

// A sequence whose letters are small numbers.
struct Letters {
    const uint8_t *letters;
    int64_t length;
};

// A haplotype and the length of its head. It is cut in the middle unless a model chooses another
// place, or leaves it whole.
struct Haplotype : Letters {
    Haplotype() = default;
    Haplotype(const uint8_t *given, int64_t count, const uint8_t *flags_given = nullptr)
        : Letters{given, count}, cut(count / 2), flags(flags_given) {}

    int64_t cut;
    const uint8_t *flags;  // of its letters, in PDHMM
};

// The number of letters that both share, given that they share the first `from`.
int64_t common_prefix(const Letters &a, const Letters &b, int64_t from);

// Writes letters to `to` from last to first.
void reverse(const uint8_t *from, int64_t count, uint8_t *to);

// A set of letters, in PDHMM. A base matches a column if their sets have a letter in common.
typedef uint64_t LetterSet;

// What happens after a column of PDHMM, in this order.
enum Event : uint8_t {
    kMerge = 1,    // the values become the larger of themselves and the kept ones
    kKeep = 2,     // the values are kept
    kKeepOpen = 4  // the first row's values are kept, zero for the others
};

// Consecutive columns of a trie. Only a branch of one column has events.
struct Branch {
    int32_t column;      // index of its first column in Trie::letters
    int32_t length;      // number of columns; 0 only for an empty sequence
    int32_t load;        // slot of the state that it starts from, or kRoot or kGoOn
    int32_t save;        // slot for the state after its last column, or -1
    int32_t leaf;        // the distinct sequence that ends with it, or -1
    uint8_t events = 0;  // after its last column
};
enum { kRoot = -1, kGoOn = -2 };  // kGoOn: from the state after the branch before

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
    // In PDHMM, the letters of the tries are indices in `classes`.
    const LetterSet *classes;  // the different letter sets of the columns
    int32_t class_count;
    const LetterSet *letters;  // the set of a read's base, by byte
    bool any_events;           // in the heads; tails have none
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

// The memory in which tries are built.
class TrieBuilder {
   public:
    // Builds the tries of haplotypes in any order: of their heads, and of their reversed tails.
    // Their letters are less than `alphabet`. Equal heads share a leaf, and equal tails. Reuses the
    // tries' memory.
    void build(const Haplotype *haplotypes, int64_t count, int32_t alphabet, Trie *heads,
               Trie *tails);

    // Frees buffers that a rare long haplotype has made larger than `most` bytes.
    void trim(size_t most) {
        if (reversed_letters_.capacity() > most) std::vector<uint8_t>().swap(reversed_letters_);
    }

   private:
    void build(int32_t alphabet, Trie *trie);

    // Sequences with a common beginning.
    struct Subtree {
        int32_t begin, end;   // range in order_
        int64_t depth;        // columns that are in a branch already
        int32_t slots, load;  // slots in use on the path to here; where to start from
    };
    std::vector<Letters> sequences_;  // of the trie: heads, or reversed tails
    std::vector<uint8_t> reversed_letters_;
    std::vector<int32_t> order_, sorted_order_, letter_begins_, next_places_;
    std::vector<Subtree> stack_;
};

struct Plan {
    Trie heads, tails;                // of reversed tails
    std::vector<Join> joins;          // sorted by tail
    std::vector<int32_t> first_join;  // first join of each tail, and the number of joins at the end
    std::vector<int32_t> join_of;     // join of each haplotype, in the order given
    std::vector<LetterSet> classes;   // these three as in PlanView
    const LetterSet *letters = nullptr;
    bool any_events = false;

    int64_t columns() const { return heads.columns() + tails.columns(); }
    PlanView view() const {
        return {heads.view(),
                tails.view(),
                joins.data(),
                first_join.data(),
                int32_t(joins.size()),
                classes.data(),
                int32_t(classes.size()),
                letters,
                any_events};
    }

    // Lists the joins of haplotypes whose tries are built.
    void list_joins(const Haplotype *haplotypes, int64_t count);

   private:
    std::vector<int32_t> order_;
};

}  // namespace gkl_shim::hmm

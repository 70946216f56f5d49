// The plan of a region: what follows from its haplotypes, and the columns that they share.
//
// First each haplotype's flags are resolved: into a letter set for each column, and into the events
// of the columns that begin and end a deletion. Then it is cut. Haplotypes whose heads begin alike,
// events included, share those columns, and haplotypes whose tails end alike share those, as in
// PairHMM. So a region's heads make one trie, and its reversed tails another.
#pragma once

#include <stdint.h>

#include <vector>

#include "hmm/pdhmm/model.h"
#include "hmm/plan.h"

namespace gkl_shim::pdhmm {

// What the letters of a region mean.
struct Alphabet {
    LetterSet letters[256];
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

class Planner {
   public:
    // Plans haplotypes, as the caller gives them. Reuses the plan's memory, and refers to the
    // alphabet. Returns false if they have more kinds of columns than a plan can hold, which takes
    // letters other than ACGTN. Throws std::bad_alloc.
    bool make(const Alphabet &alphabet, const Haplotype *haplotypes, int64_t count, Plan *plan);

    // Frees buffers that rare long haplotypes have made larger than `most` bytes.
    void trim(size_t most) {
        if (columns_.capacity() > most) std::vector<uint8_t>().swap(columns_);
        builder_.trim(most);
    }

   private:
    // What tries compare. Columns of one kind have the same class and the same events.
    struct Kind {
        uint8_t column_class, events;
    };

    bool resolve(const Alphabet &alphabet, const Haplotype &haplotype, uint8_t *columns,
                 Plan *plan);
    bool kind_of(LetterSet letters, uint8_t events, Plan *plan, uint8_t *kind);
    void divide_branches(Plan *plan);

    TrieBuilder builder_;
    std::vector<Kind> kinds_;
    std::vector<uint8_t> columns_;     // kinds
    std::vector<Haplotype> resolved_;  // haplotypes whose letters are in `columns_`
    std::vector<Deletion> deletions_;
    std::vector<Branch> branches_;
};

}  // namespace gkl_shim::pdhmm

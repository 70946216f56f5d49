// The plan of a region: the columns that several pairs share, and the order in which they are
// computed.
//
// The recurrence is linear, so a haplotype can be computed from both ends. It is cut in two. The
// forward recurrence runs over its head, the backward recurrence over its tail, and the join
// multiplies each row's forward values with its backward values. Haplotypes whose heads begin alike
// share those columns; haplotypes whose tails end alike share those. So a region's distinct heads
// make one trie, and its distinct tails, reversed, another. A region's haplotypes differ in few
// places. A single trie over whole haplotypes would share nothing after the first difference. A
// region with one distinct haplotype has nothing to share, so all columns are in the head.
//
// hmm/plan.h has the tries. Planning runs on the CPU and is the same for every engine.
#pragma once

#include "hmm/pairhmm/cuts.h"
#include "hmm/pairhmm/model.h"

namespace gkl_shim::pairhmm {

// The memory in which regions are planned.
class Planner {
   public:
    // Chooses the cuts of a region's haplotypes. It must be given all of them.
    void cut(Haplotype *haplotypes, int64_t count) { cutter_.choose(haplotypes, count); }

    // Plans haplotypes. Reuses the plan's memory.
    void make(const Haplotype *haplotypes, int64_t count, Plan *plan) {
        make_tries(haplotypes, count, &plan->heads, &plan->tails);
        plan->list_joins(haplotypes, count);
    }

    // Builds the tries alone.
    void make_tries(const Haplotype *haplotypes, int64_t count, Trie *heads, Trie *tails) {
        builder_.build(haplotypes, count, kLetters, heads, tails);
    }

    // Frees buffers that a rare long haplotype has made larger than `most` bytes.
    void trim(size_t most) { builder_.trim(most); }

   private:
    Cutter cutter_;
    TrieBuilder builder_;
};

}  // namespace gkl_shim::pairhmm

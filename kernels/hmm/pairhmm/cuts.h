// Where the haplotypes of a region are cut (plan.h says what a cut is).
//
// A column can be computed in a head, once for all haplotypes that share the prefix which ends with
// it, or in a tail, once for all that share the suffix which begins with it. A haplotype is cut
// such that each column is on the side where more haplotypes share it. Towards a haplotype's end
// fewer share its prefixes and more share its suffixes, so there is one such place. On recorded
// regions this leaves up to 5% more columns than the best cuts of all haplotypes together, which
// are a minimum vertex cover and take ten times as long to find.
//
// Haplotypes that are all the same are not cut: a tail would share nothing, and cost a join.
//
// The cuts depend on the region's set of haplotypes alone: not on their order, on reads, on threads
// or on the engine.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <vector>

#include "hmm/plan.h"

namespace gkl_shim::pairhmm {

using namespace hmm;

// A haplotype with more letters is always cut: on a GPU, both halves of a lone long pair are
// computed side by side.
constexpr int64_t kLongestUncut = 1024;

class Cutter {
   public:
    // The CPU engine computes a region with more haplotypes in pieces, and each piece knows only
    // its own.
    static constexpr int64_t kMaxHaplotypes = 1 << 14;

    // Sets the cut of each haplotype of a region. `haplotypes`: all of the region's, cut in the
    // middle. Those of a region with few different haplotypes, with very many, or with very many
    // letters, stay there. If all are the same and short, the heads receive all letters.
    void choose(Haplotype *haplotypes, int64_t count);

   private:
    // Consecutive letters that the same haplotypes share: an edge of the tree of all prefixes.
    struct Run {
        int32_t end;     // its last letter's place in the haplotype, counted from 1
        int32_t shared;  // how many haplotypes have it
        int32_t parent;  // the run before it, or -1
    };

    // All prefixes of distinct haplotypes; or all suffixes, read backwards.
    struct Side {
        std::vector<Letters> sequences;
        std::vector<int32_t> order;  // indices in `sequences`, sorted by letters
        std::vector<Run> runs;       // runs[k] is the last run of sequences[k], others follow
        std::vector<int32_t> open;   // the runs on the path to the last sequence

        void find_runs();
        void attach(int32_t run, int32_t parent);
        int32_t begin(int32_t run) const {
            const int32_t parent = runs[size_t(run)].parent;
            return parent < 0 ? 0 : runs[size_t(parent)].end;
        }
    };

    bool find_distinct(const Haplotype *haplotypes, int64_t count);
    int64_t cut_of(int32_t sequence);

    Side prefixes_, suffixes_;
    std::vector<uint8_t> reversed_letters_;
    std::vector<int32_t> order_;     // haplotypes, sorted by letters
    std::vector<int32_t> sequence_;  // of each haplotype in `order_`
    std::vector<int32_t> path_;      // runs, the shortest prefix first
};

}  // namespace gkl_shim::pairhmm

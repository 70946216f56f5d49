// A region, or a piece of a large one, on its way through the CPU engine: its reads, and its
// haplotypes in sets.
#pragma once

#include <stdint.h>

#include <vector>

#include "hmm/cpu/build.h"
#include "hmm/cpu/reads.h"
#include "hmm/on_cpu.h"
#include "hmm/pairhmm/plan.h"
#include "hmm/pdhmm/plan.h"

namespace gkl_shim::hmm {

// What an engine computes, and how.
struct Call {
    const CpuSettings &settings;
    const gkl_shim_pairhmm_batch &batch;
    const uint8_t *flags;          // of the haplotypes' letters, in PDHMM; null: PairHMM
    const TileKernels &kernels;    // of the first step
    int64_t cells_per_nanosecond;  // about as many as a thread computes, set-up included
    int64_t cells_per_letter;      // that cost about as much as planning a letter of a haplotype
};

// The memory in which a thread plans.
struct Planners {
    pairhmm::Planner pairhmm;
    pdhmm::Planner pdhmm;
};

// Haplotypes of a piece that are computed together, usually all of them.
struct HaplotypeSet {
    int32_t first, count;  // indices in the piece's haplotypes
    bool planned;          // false for a lone haplotype that PDHMM's planner refuses
    Plan plan;
};

class Piece {
   public:
    void begin(const Call &call, const Bounds &bounds);

    // Puts the reads in order, divides the haplotypes into sets, and plans each set. Without this,
    // a piece has neither.
    void plan(const Call &call, Planners *planners);

    int64_t letters() const { return letters_; }  // of the haplotypes
    const Reads &reads() const { return reads_; }
    // Encoded for PairHMM, as given for PDHMM.
    const std::vector<Haplotype> &haplotypes() const { return haplotypes_; }
    const pdhmm::Alphabet &alphabet() const { return alphabet_; }  // of PDHMM's letters
    int32_t set_count() const { return set_count_; }
    const HaplotypeSet &set(int32_t k) const { return sets_[size_t(k)]; }

    // The columns that are computed for each row of a read.
    int64_t columns(const HaplotypeSet &set) const {
        return set.planned ? set.plan.columns() : haplotypes_[size_t(set.first)].length;
    }

    // The result of a read with haplotypes()[h] is at [column(h)] of the read's results.
    int32_t column(int32_t h) const { return columns_[size_t(h)]; }
    double &result(int32_t read, int32_t h) const { return reads_.results(read)[column(h)]; }

    // About the most memory it has ever taken, in bytes.
    int64_t kept_bytes() const { return kept_bytes_; }

   private:
    // The largest tile: of the longest read in the widest kernel.
    struct Size {
        size_t bytes;
        int64_t cells;
    };

    void read_haplotypes(const Call &call, Planners *planners);
    Size size_of(const Call &call, const HaplotypeSet &set) const;
    bool fits(const Call &call, const HaplotypeSet &set) const;
    void divide(const Call &call, Planners *planners, int32_t first, int32_t end, int32_t most);
    const HaplotypeSet &add_set(const Call &call, Planners *planners, int32_t first, int32_t count);
    void sort_by_head(const Plan &plan);

    Bounds bounds_;
    int64_t letters_;
    Reads reads_;
    std::vector<uint8_t> encoded_;  // PairHMM's letters
    pdhmm::Alphabet alphabet_;
    std::vector<Haplotype> haplotypes_;
    std::vector<int32_t> columns_;
    std::vector<HaplotypeSet> sets_;  // the first set_count_ are in use; the others keep memory
    int32_t set_count_ = 0;
    int64_t kept_bytes_ = 0;
};

}  // namespace gkl_shim::hmm

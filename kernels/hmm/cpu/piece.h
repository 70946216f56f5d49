// A region, or a piece of a large one, on its way through the CPU engine: its reads, and its
// haplotypes in sets.
#pragma once

#include <stdint.h>

#include <vector>

#include "hmm/cpu/build.h"
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

// Consecutive reads and haplotypes of a region, usually all of them.
struct Bounds {
    int64_t region, first_read, reads, first_haplotype, haplotypes;  // indices in the batch
    double *out;      // result of the first read with the first haplotype
    int64_t per_row;  // distance between the results of consecutive reads
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

    // Puts the reads in order, longest first, divides the haplotypes into sets, and plans each set.
    // Without this, a piece has neither reads nor sets.
    void plan(const Call &call, Planners *planners);

    int32_t read_count() const { return int32_t(order_.size()); }
    int64_t bases() const;  // of all reads
    int32_t length(int32_t read) const { return order_[size_t(read)].length; }
    ReadView view(int32_t read) const;

    int64_t letters() const { return letters_; }  // of the haplotypes
    // Encoded for PairHMM, as given for PDHMM.
    const std::vector<Haplotype> &haplotypes() const { return haplotypes_; }
    const pdhmm::Alphabet &alphabet() const { return alphabet_; }  // of PDHMM's letters
    int32_t set_count() const { return set_count_; }
    const HaplotypeSet &set(int32_t k) const { return sets_[size_t(k)]; }

    // The columns that are computed for each row of a read.
    int64_t columns(const HaplotypeSet &set) const {
        return set.planned ? set.plan.columns() : haplotypes_[size_t(set.first)].length;
    }

    // The results of a read, one for each haplotype. NaN marks a pair that lacks its result.
    double *results(int32_t read) const {
        return bounds_.out + order_[size_t(read)].index * bounds_.per_row;
    }
    // How many haplotypes of a set lack the result of a read.
    int32_t missing(int32_t read, const HaplotypeSet &set) const;
    // Whether no result is missing. Needs no plan.
    bool complete() const;

    // About the most memory it has ever taken, in bytes.
    int64_t kept_bytes() const { return kept_bytes_; }

   private:
    // Every thread reads it, and each cache line costs a transfer between cores both ways. So it
    // holds as little as possible.
    struct Read {
        int32_t length, index;  // index within the bounds, as given
        bool operator<(const Read &other) const {
            return length != other.length ? length > other.length : index < other.index;
        }
    };

    void sort_reads();
    void read_haplotypes(const Call &call, Planners *planners);
    bool fits(const Call &call, const PlanView &plan) const;
    int32_t set_end(const Call &call, int32_t first) const;
    const HaplotypeSet &add_set(const Call &call, Planners *planners, int32_t first, int32_t end);

    const gkl_shim_pairhmm_batch *batch_;
    Bounds bounds_;
    std::vector<Read> order_;  // of the reads
    int64_t letters_;
    std::vector<uint8_t> encoded_;  // PairHMM's letters
    pdhmm::Alphabet alphabet_;
    std::vector<Haplotype> haplotypes_;
    std::vector<HaplotypeSet> sets_;  // the first set_count_ are in use; the others keep memory
    int32_t set_count_ = 0;
    int64_t kept_bytes_ = 0;
};

}  // namespace gkl_shim::hmm

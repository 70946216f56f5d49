// A region, or a piece of a large one, on its way through the CPU engine.
#pragma once

#include <stdint.h>

#include <vector>

#include "gkl_shim.h"
#include "pairhmm/cpu/engine.h"
#include "pairhmm/plan.h"

namespace gkl_shim {
namespace pairhmm {

// Consecutive reads and haplotypes of a region, usually all of them.
struct Bounds {
    int64_t first_read, reads, first_haplotype, haplotypes;  // indices in the batch
    double *out;      // result of the first read with the first haplotype
    int64_t per_row;  // distance between the results of consecutive reads
};

struct ReadOrder {
    int32_t length, index;  // index within the piece, as given
    bool operator<(const ReadOrder &other) const {
        return length != other.length ? length > other.length : index < other.index;
    }
};

// Haplotypes of a piece that are computed together, usually all of them.
struct HaplotypeSet {
    int32_t first, count;  // indices in Piece::haplotypes()
    Plan plan;
};

// Every thread reads what is stored here, and each cache line costs a transfer between cores both
// ways. So it stores as little as possible.
class Piece {
   public:
    void begin(const gkl_shim_pairhmm_batch &batch, const Bounds &bounds);

    // Sorts the reads, longest first. Keeps no read if only missing results are wanted and none is
    // missing.
    void order_reads(bool only_missing);
    const std::vector<ReadOrder> &reads() const { return reads_; }
    int64_t read_bases() const { return read_bases_; }
    // Index of its first read in the batch.
    int64_t first_read() const { return bounds_.first_read; }
    // How many reads are too long for single precision. They come first in reads().
    int64_t too_long() const;

    // Encodes the haplotypes, divides them into sets and plans each set.
    void plan(const CpuSettings &settings, Planner *planner);
    int64_t columns() const;  // of all plans
    const std::vector<Haplotype> &haplotypes() const { return haplotypes_; }
    int32_t set_count() const { return set_count_; }
    const HaplotypeSet &set(int32_t k) const { return sets_[size_t(k)]; }

    int64_t longest_haplotype() const;  // known before planning

    // The results of a read of reads(). The one with haplotypes()[h] is at [column(h)].
    double *results(int32_t read) const {
        return bounds_.out + reads_[size_t(read)].index * bounds_.per_row;
    }
    int32_t column(int32_t h) const { return columns_[size_t(h)]; }

    // Sets the results of the first `reads` reads to NaN: still to be computed.
    void mark_missing(int64_t reads) const;

    // About the most memory it has ever taken, in bytes.
    int64_t kept_bytes() const { return kept_bytes_; }

   private:
    int64_t letters() const;
    bool nothing_missing() const;
    size_t bytes(const CpuSettings &settings, const PlanView &plan) const;
    // The cells of the largest tile.
    int64_t tile_cells(const CpuSettings &settings, const PlanView &plan) const;
    bool fits(const CpuSettings &settings, const PlanView &plan) const;
    void divide(const CpuSettings &settings, Planner *planner, int32_t first, int32_t end,
                int32_t most);
    void add_set(Planner *planner, int32_t first, int32_t count);
    void sort_by_head();

    const gkl_shim_pairhmm_batch *batch_;
    Bounds bounds_;
    std::vector<ReadOrder> reads_;
    std::vector<uint8_t> letters_;
    std::vector<Haplotype> haplotypes_;
    std::vector<int32_t> columns_;
    std::vector<HaplotypeSet>
        sets_;  // the first set_count_ are in use; the others keep their memory
    int32_t set_count_ = 0;
    int64_t read_bases_ = 0, kept_bytes_ = 0;
};

}  // namespace pairhmm
}  // namespace gkl_shim

// A region on its way through the CPU engine, or a piece of one.
#pragma once

#include <stdint.h>

#include <vector>

#include "gkl_shim.h"
#include "pairhmm/cpu/engine.h"
#include "pairhmm/plan.h"

namespace gkl_shim {
namespace pairhmm {

// Reads and haplotypes that follow one another in a region: most often all of them.
struct Bounds {
    int64_t first_read, reads, first_haplotype, haplotypes;  // of the batch
    double *out;      // of the first read and the first haplotype
    int64_t per_row;  // from a read's results to those of the next
};

struct ReadOrder {
    int32_t length, index;  // within its piece, as given
    bool operator<(const ReadOrder &other) const {
        return length != other.length ? length > other.length : index < other.index;
    }
};

// Haplotypes of a piece that are computed together: most often all of them.
struct HaplotypeSet {
    int32_t first, count;  // of Piece::haplotypes()
    Plan plan;
};

// What is written here is read by every thread, and costs a transfer between cores both ways: it
// is as little as possible.
class Piece {
   public:
    void begin(const gkl_shim_pairhmm_batch &batch, const Bounds &bounds);

    // Its reads, the longest first. None, where all results are there and only missing ones are
    // wanted.
    void order_reads(bool only_missing);
    const std::vector<ReadOrder> &reads() const { return reads_; }
    int64_t read_bases() const { return read_bases_; }
    // Of its reads in the batch.
    int64_t first_read() const { return bounds_.first_read; }
    // How many reads single precision does not take: the first ones.
    int64_t too_long() const;

    // Its haplotypes' letters, and the sets and their plans.
    void plan(const CpuSettings &settings, Planner *planner);
    int64_t columns() const;  // of all plans
    const std::vector<Letters> &haplotypes() const { return haplotypes_; }
    int32_t set_count() const { return set_count_; }
    const HaplotypeSet &set(int32_t k) const { return sets_[size_t(k)]; }
    // Whether there is one set, whatever the letters are.
    bool surely_one_set(const CpuSettings &settings) const;

    int64_t longest_haplotype() const;  // known before the plan

    // Of a read of reads(); the result with haplotypes()[h] is at [column(h)].
    double *results(int32_t read) const {
        return bounds_.out + reads_[size_t(read)].index * bounds_.per_row;
    }
    int32_t column(int32_t h) const { return columns_[size_t(h)]; }

    // Results that are still to be computed.
    void mark_missing(int64_t reads) const;

    // About how much memory it has ever needed, in bytes.
    int64_t kept_bytes() const { return kept_bytes_; }

   private:
    int64_t letters() const;
    bool nothing_missing() const;
    size_t bytes(const CpuSettings &settings, const PlanView &plan) const;
    bool fits(const CpuSettings &settings, const PlanView &plan) const;
    void divide(const CpuSettings &settings, Planner *planner, int32_t first, int32_t end,
                int32_t most);
    void add_set(Planner *planner, int32_t first, int32_t count);
    void sort_by_head();

    const gkl_shim_pairhmm_batch *batch_;
    Bounds bounds_;
    std::vector<ReadOrder> reads_;
    std::vector<uint8_t> letters_;
    std::vector<Letters> haplotypes_;
    std::vector<int32_t> columns_;
    std::vector<HaplotypeSet> sets_;  // the first set_count_; the others' memory is kept
    int32_t set_count_ = 0;
    int64_t read_bases_ = 0, kept_bytes_ = 0;
};

}  // namespace pairhmm
}  // namespace gkl_shim

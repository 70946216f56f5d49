// The reads of a region, or of a piece of a large one, in the order in which a CPU engine computes
// them.
#pragma once

#include <vector>

#include "gkl_shim.h"
#include "hmm/cpu/build.h"

namespace gkl_shim::hmm {

// Consecutive reads and haplotypes of a region, usually all of them.
struct Bounds {
    int64_t region, first_read, reads, first_haplotype, haplotypes;  // indices in the batch
    double *out;      // result of the first read with the first haplotype
    int64_t per_row;  // distance between the results of consecutive reads
};

// The reads within some bounds. Every thread reads what is stored here, and each cache line costs a
// transfer between cores both ways. So it stores as little as possible.
class Reads {
   public:
    // There are no reads before sort().
    void begin(const gkl_shim_pairhmm_batch &batch, const Bounds &bounds) {
        batch_ = &batch;
        bounds_ = bounds;
        order_.clear();
    }

    // Puts the reads in order, longest first.
    void sort();

    int32_t count() const { return int32_t(order_.size()); }
    int64_t bases() const;  // of all reads
    int32_t length(int32_t read) const { return order_[size_t(read)].length; }
    ReadView view(int32_t read) const;

    // The results of a read, one for each haplotype, in the order given. NaN marks a pair that
    // lacks its result.
    double *results(int32_t read) const {
        return bounds_.out + order_[size_t(read)].index * bounds_.per_row;
    }

    // Whether all pairs within the bounds have their results. Needs no order.
    bool complete() const;

   private:
    struct Read {
        int32_t length, index;  // index within the bounds, as given
        bool operator<(const Read &other) const {
            return length != other.length ? length > other.length : index < other.index;
        }
    };

    const gkl_shim_pairhmm_batch *batch_;
    Bounds bounds_;
    std::vector<Read> order_;
};

}  // namespace gkl_shim::hmm

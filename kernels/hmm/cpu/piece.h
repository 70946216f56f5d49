// A region, or a piece of a large one, on its way through a CPU engine: its reads, and its
// haplotypes in sets.
#pragma once

#include <math.h>
#include <stdint.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "hmm/cpu/memory.h"
#include "hmm/cpu/reads.h"
#include "hmm/plan.h"

namespace gkl_shim {
namespace hmm {

// Haplotypes of a piece that are computed together, usually all of them.
template <class Method>
struct HaplotypeSet {
    int32_t first, count;  // indices in the piece's haplotypes
    bool planned;          // false for a lone haplotype that the planner refuses
    typename Method::Plan plan;
};

// `Method` is described in hmm/cpu/engine.h.
template <class Method>
class Piece {
   public:
    typedef typename Method::Call Call;
    typedef typename Method::Haplotypes Haplotypes;
    typedef typename Method::Planner Planner;
    typedef HaplotypeSet<Method> Set;

    void begin(const Call &call, const Bounds &bounds) {
        bounds_ = bounds;
        const int64_t *ends = call.batch.haplotype_offsets + bounds.first_haplotype;
        letters_ = ends[bounds.haplotypes] - ends[0];
        reads_.begin(call.batch, bounds);
        set_count_ = 0;
        kept_bytes_ = std::max(kept_bytes_, int64_t(sizeof *this) + kBytesPerRead * bounds.reads +
                                                kBytesPerHaplotype * bounds.haplotypes +
                                                kBytesPerLetter * letters_);
    }

    // Puts the reads in order, divides the haplotypes into sets, and plans each set. Without this,
    // a piece has neither.
    void plan(const Call &call, Planner *planner) {
        reads_.sort();
        haplotypes_.begin(call, bounds_, planner);
        const int32_t count = int32_t(bounds_.haplotypes);
        columns_.resize(size_t(count));
        std::iota(columns_.begin(), columns_.end(), 0);
        const Set &all = add_set(planner, 0, count);
        if (fits(call, all)) return;
        int64_t sets = 2;
        if (all.planned) {
            const Size size = size_of(call, all);
            sets = std::max(int64_t(size.bytes / kTileBytes), size.cells / kTileCells) + 1;
            sort_by_head(all.plan);
        }
        set_count_ = 0;
        divide(call, planner, 0, count, int32_t((count + sets - 1) / sets));
    }

    int64_t letters() const { return letters_; }  // of the haplotypes
    const Bounds &bounds() const { return bounds_; }
    const Reads &reads() const { return reads_; }
    const Haplotypes &haplotypes() const { return haplotypes_; }
    int32_t set_count() const { return set_count_; }
    const Set &set(int32_t k) const { return sets_[size_t(k)]; }

    // The columns that are computed for each row of a read.
    int64_t columns(const Set &set) const {
        return set.planned ? set.plan.columns() : haplotypes_.list[size_t(set.first)].length;
    }

    // The result of a read with haplotypes().list[h] is at [column(h)] of the read's results.
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

    Size size_of(const Call &call, const Set &set) const {
        const auto &kernel = call.kernels().wide;
        const int32_t rows = reads_.length(0);
        return {haplotype_bytes(kernel, rows, set.plan.view()),
                int64_t(kernel.lanes) * rows * set.plan.columns()};
    }

    bool fits(const Call &call, const Set &set) const {
        if (set.count == 1 || !set.planned) return set.count == 1;
        if (set.plan.joins.size() == 1) return true;
        const Size size = size_of(call, set);
        return size.bytes <= kTileBytes && size.cells <= kTileCells;
    }

    // Makes sets of `most` haplotypes, or fewer if these would take too much memory or time.
    void divide(const Call &call, Planner *planner, int32_t first, int32_t end, int32_t most) {
        for (; first < end; first += most) {
            const int32_t count = std::min(most, end - first);
            if (fits(call, add_set(planner, first, count))) continue;
            set_count_--;
            divide(call, planner, first, first + count, (count + 1) / 2);
        }
    }

    const Set &add_set(Planner *planner, int32_t first, int32_t count) {
        if (sets_.size() == size_t(set_count_)) sets_.emplace_back();
        Set &set = sets_[size_t(set_count_++)];
        set.first = first;
        set.count = count;
        set.planned = haplotypes_.plan(first, count, planner, &set.plan);
        return set;
    }

    // Puts the haplotypes in an order in which neighbours share most of their heads.
    void sort_by_head(const Plan &plan) {
        std::sort(columns_.begin(), columns_.end(), [&](int32_t x, int32_t y) {
            const int32_t head = plan.heads.leaf_of[size_t(x)],
                          other = plan.heads.leaf_of[size_t(y)];
            return head != other ? head < other : plan.join_of[size_t(x)] < plan.join_of[size_t(y)];
        });
        auto &list = haplotypes_.list;
        const auto as_given = list;
        for (size_t h = 0; h < list.size(); h++) list[h] = as_given[size_t(columns_[h])];
    }

    Bounds bounds_;
    int64_t letters_;
    Reads reads_;
    Haplotypes haplotypes_;
    std::vector<int32_t> columns_;
    std::vector<Set> sets_;  // the first set_count_ are in use; the others keep their memory
    int32_t set_count_ = 0;
    int64_t kept_bytes_ = 0;
};

}  // namespace hmm
}  // namespace gkl_shim

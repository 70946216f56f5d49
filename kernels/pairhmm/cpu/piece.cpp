#include "pairhmm/cpu/piece.h"

#include <math.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "pairhmm/cpu/memory.h"
#include "pairhmm/letters.h"

namespace gkl_shim {
namespace pairhmm {

void Piece::begin(const gkl_shim_pairhmm_batch &batch, const Bounds &bounds) {
    batch_ = &batch;
    bounds_ = bounds;
    set_count_ = 0;
    kept_bytes_ = std::max(kept_bytes_, int64_t(sizeof *this) + kBytesPerRead * bounds.reads +
                                            kBytesPerHaplotype * bounds.haplotypes +
                                            kBytesPerLetter * letters());
}

void Piece::order_reads(bool only_missing) {
    reads_.clear();
    read_bases_ = 0;
    if (only_missing && nothing_missing()) return;
    reads_.resize(size_t(bounds_.reads));
    const int64_t *offsets = batch_->read_offsets + bounds_.first_read;
    for (int32_t r = 0; r < int32_t(bounds_.reads); r++)
        reads_[size_t(r)] = {int32_t(offsets[r + 1] - offsets[r]), r};
    std::sort(reads_.begin(), reads_.end());
    read_bases_ = offsets[bounds_.reads] - offsets[0];
}

bool Piece::nothing_missing() const {
    for (int64_t r = 0; r < bounds_.reads; r++) {
        const double *row = bounds_.out + r * bounds_.per_row;
        if (std::any_of(row, row + bounds_.haplotypes, [](double x) { return isnan(x); }))
            return false;
    }
    return true;
}

int64_t Piece::too_long() const {
    return std::partition_point(
               reads_.begin(), reads_.end(),
               [](const ReadOrder &read) { return read.length > kLongestSingleRead; }) -
           reads_.begin();
}

void Piece::plan(const CpuSettings &settings, Planner *planner) {
    if (reads_.empty()) return;
    const int64_t *ends = batch_->haplotype_offsets + bounds_.first_haplotype;
    letters_.resize(size_t(letters()));
    encode(settings.as_gkl, batch_->haplotype_bases + ends[0], letters(), letters_.data());
    haplotypes_.resize(size_t(bounds_.haplotypes));
    for (size_t h = 0; h < haplotypes_.size(); h++)
        haplotypes_[h] = {letters_.data() + (ends[h] - ends[0]), ends[h + 1] - ends[h]};
    // A region whose haplotypes are in several pieces keeps the cuts in the middle.
    if (bounds_.haplotypes == bounds_.per_row) planner->cut(haplotypes_.data(), bounds_.haplotypes);
    columns_.resize(haplotypes_.size());
    std::iota(columns_.begin(), columns_.end(), 0);

    const int32_t count = int32_t(haplotypes_.size());
    add_set(planner, 0, count);
    const PlanView all = sets_[0].plan.view();
    if (fits(settings, all)) return;
    const size_t sets = std::max(bytes(settings, all) / kTileBytes,
                                 size_t(tile_cells(settings, all) / kTileCells)) +
                        1;
    sort_by_head();
    set_count_ = 0;
    divide(settings, planner, 0, count, int32_t((haplotypes_.size() + sets - 1) / sets));
}

// Makes sets of `most` haplotypes, or fewer if these would take too much memory or time.
void Piece::divide(const CpuSettings &settings, Planner *planner, int32_t first, int32_t end,
                   int32_t most) {
    for (; first < end; first += most) {
        const int32_t count = std::min(most, end - first);
        add_set(planner, first, count);
        if (fits(settings, set(set_count_ - 1).plan.view())) continue;
        set_count_--;
        divide(settings, planner, first, first + count, (count + 1) / 2);
    }
}

void Piece::add_set(Planner *planner, int32_t first, int32_t count) {
    if (sets_.size() == size_t(set_count_)) sets_.emplace_back();
    HaplotypeSet &set = sets_[size_t(set_count_++)];
    set.first = first;
    set.count = count;
    planner->make(haplotypes_.data() + first, count, &set.plan);
}

// Sorted like this, neighbours share most of their heads.
void Piece::sort_by_head() {
    const Plan &plan = sets_[0].plan;
    std::sort(columns_.begin(), columns_.end(), [&](int32_t x, int32_t y) {
        const int32_t head = plan.heads.leaf_of[size_t(x)], other = plan.heads.leaf_of[size_t(y)];
        return head != other ? head < other : plan.join_of[size_t(x)] < plan.join_of[size_t(y)];
    });
    const std::vector<Haplotype> as_given = haplotypes_;
    for (size_t h = 0; h < haplotypes_.size(); h++) haplotypes_[h] = as_given[size_t(columns_[h])];
}

// The memory of the largest tile: the longest read in the widest kernel.
size_t Piece::bytes(const CpuSettings &settings, const PlanView &plan) const {
    return tile_bytes(settings.build->single_wide, reads_[0].length, plan);
}

int64_t Piece::tile_cells(const CpuSettings &settings, const PlanView &plan) const {
    return int64_t(settings.build->single_wide.lanes) * reads_[0].length *
           (plan.heads.columns + plan.tails.columns);
}

bool Piece::fits(const CpuSettings &settings, const PlanView &plan) const {
    return plan.join_count == 1 ||
           (bytes(settings, plan) <= kTileBytes && tile_cells(settings, plan) <= kTileCells);
}

int64_t Piece::columns() const {
    int64_t columns = 0;
    for (int32_t k = 0; k < set_count_; k++) columns += set(k).plan.columns();
    return columns;
}

int64_t Piece::letters() const {
    const int64_t *ends = batch_->haplotype_offsets + bounds_.first_haplotype;
    return ends[bounds_.haplotypes] - ends[0];
}

int64_t Piece::longest_haplotype() const {
    const int64_t *ends = batch_->haplotype_offsets + bounds_.first_haplotype;
    int64_t longest = 0;
    for (int64_t h = 0; h < bounds_.haplotypes; h++)
        longest = std::max(longest, ends[h + 1] - ends[h]);
    return longest;
}

void Piece::mark_missing(int64_t reads) const {
    for (int64_t r = 0; r < reads; r++)
        std::fill_n(results(int32_t(r)), bounds_.haplotypes,
                    std::numeric_limits<double>::quiet_NaN());
}

}  // namespace pairhmm
}  // namespace gkl_shim

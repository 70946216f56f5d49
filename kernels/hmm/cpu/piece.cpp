#include "hmm/cpu/piece.h"

#include <math.h>

#include <algorithm>

#include "hmm/cpu/memory_limits.h"
#include "hmm/cpu/tiles.h"
#include "hmm/letters.h"

namespace gkl_shim::hmm {

void Piece::begin(const Call &call, const Bounds &bounds) {
    batch_ = &call.batch;
    bounds_ = bounds;
    order_.clear();
    const int64_t *ends = call.batch.haplotype_offsets + bounds.first_haplotype;
    letters_ = ends[bounds.haplotypes] - ends[0];
    set_count_ = 0;
    kept_bytes_ = std::max(kept_bytes_, int64_t(sizeof *this) + kBytesPerRead * bounds.reads +
                                            kBytesPerHaplotype * bounds.haplotypes +
                                            kBytesPerLetter * letters_);
}

void Piece::plan(const Call &call, Planners *planners) {
    sort_reads();
    read_haplotypes(call, planners);
    const int32_t count = int32_t(bounds_.haplotypes);
    const HaplotypeSet &all = add_set(call, planners, 0, count);
    if (count == 1 || (all.planned && fits(call, all.plan.view()))) return;
    const bool planned = all.planned;
    set_count_ = 0;
    for (int32_t first = 0, end; first < count; first = end) {
        end = planned ? set_end(call, first) : first + 1;
        add_set(call, planners, first, end);
    }
}

void Piece::sort_reads() {
    order_.resize(size_t(bounds_.reads));
    const int64_t *offsets = batch_->read_offsets + bounds_.first_read;
    for (int32_t r = 0; r < int32_t(bounds_.reads); r++)
        order_[size_t(r)] = {int32_t(offsets[r + 1] - offsets[r]), r};
    std::sort(order_.begin(), order_.end());
}

void Piece::read_haplotypes(const Call &call, Planners *planners) {
    const gkl_shim_pairhmm_batch &batch = call.batch;
    const int64_t *ends = batch.haplotype_offsets + bounds_.first_haplotype;
    const uint8_t *letters = batch.haplotype_bases + ends[0];
    if (call.flags) {
        const int64_t *region = batch.region_haplotypes + bounds_.region;
        const int64_t first = batch.haplotype_offsets[region[0]];
        alphabet_ = pdhmm::make_alphabet(call.settings.as_gkl, batch.haplotype_bases + first,
                                         batch.haplotype_offsets[region[1]] - first);
    } else {
        encoded_.resize(size_t(letters_));
        encode(call.settings.as_gkl, letters, letters_, encoded_.data());
        letters = encoded_.data();
    }
    haplotypes_.clear();
    haplotypes_.reserve(size_t(bounds_.haplotypes));
    for (int64_t h = 0; h < bounds_.haplotypes; h++)
        haplotypes_.emplace_back(letters + (ends[h] - ends[0]), ends[h + 1] - ends[h],
                                 call.flags ? call.flags + ends[h] : nullptr);
    // A region whose haplotypes are in several pieces keeps the cuts in the middle.
    static_assert(kPieceHaplotypes >= pairhmm::Cutter::kMaxHaplotypes,
                  "a region has cuts in pieces");
    if (!call.flags && bounds_.haplotypes == bounds_.per_row)
        planners->pairhmm.cut(haplotypes_.data(), bounds_.haplotypes);
}

// Whether the largest tile, of the longest read in the widest kernel, stays within the limits.
bool Piece::fits(const Call &call, const PlanView &plan) const {
    if (plan.join_count == 1) return true;
    const TileKernel &kernel = call.kernels.wide;
    const int64_t rows = length(0), columns = int64_t(plan.heads.columns) + plan.tails.columns;
    return haplotype_bytes(kernel, int32_t(rows), plan) <= kTileBytes &&
           kernel.lanes * rows * columns <= kTileCells;
}

// The end of the set that begins with a haplotype. It fits even if its haplotypes share nothing.
int32_t Piece::set_end(const Call &call, int32_t first) const {
    PlanView largest = {};
    largest.any_events = call.flags != nullptr;
    for (int32_t end = first; end < int32_t(haplotypes_.size()); end++) {
        largest.join_count = largest.heads.leaves = largest.heads.slots =
            largest.heads.branch_count = end + 1 - first;
        largest.heads.columns += int32_t(haplotypes_[size_t(end)].length);
        if (end > first && !fits(call, largest)) return end;
    }
    return int32_t(haplotypes_.size());
}

const HaplotypeSet &Piece::add_set(const Call &call, Planners *planners, int32_t first,
                                   int32_t end) {
    if (sets_.size() == size_t(set_count_)) sets_.emplace_back();
    HaplotypeSet &set = sets_[size_t(set_count_++)];
    set.first = first;
    set.count = end - first;
    set.planned = true;
    const Haplotype *const haplotypes = haplotypes_.data() + first;
    if (call.flags)
        set.planned = planners->pdhmm.make(alphabet_, haplotypes, set.count, &set.plan);
    else
        planners->pairhmm.make(haplotypes, set.count, &set.plan);
    return set;
}

int64_t Piece::bases() const {
    const int64_t *offsets = batch_->read_offsets + bounds_.first_read;
    return order_.empty() ? 0 : offsets[bounds_.reads] - offsets[0];
}

ReadView Piece::view(int32_t read) const {
    const Read &order = order_[size_t(read)];
    const int64_t at = batch_->read_offsets[bounds_.first_read + order.index];
    return {batch_->read_bases + at,         batch_->base_quals + at,
            batch_->insertion_quals + at,    batch_->deletion_quals + at,
            batch_->continuation_quals + at, order.length};
}

int32_t Piece::missing(int32_t read, const HaplotypeSet &set) const {
    const double *first = results(read) + set.first;
    return int32_t(std::count_if(first, first + set.count, [](double x) { return isnan(x); }));
}

bool Piece::complete() const {
    for (int64_t r = 0; r < bounds_.reads; r++) {
        const double *row = bounds_.out + r * bounds_.per_row;
        if (std::any_of(row, row + bounds_.haplotypes, [](double x) { return isnan(x); }))
            return false;
    }
    return true;
}

}  // namespace gkl_shim::hmm

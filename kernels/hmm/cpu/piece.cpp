#include "hmm/cpu/piece.h"

#include <algorithm>
#include <numeric>

#include "hmm/cpu/memory_limits.h"
#include "hmm/cpu/tiles.h"
#include "hmm/letters.h"

namespace gkl_shim::hmm {

void Piece::begin(const Call &call, const Bounds &bounds) {
    bounds_ = bounds;
    const int64_t *ends = call.batch.haplotype_offsets + bounds.first_haplotype;
    letters_ = ends[bounds.haplotypes] - ends[0];
    reads_.begin(call.batch, bounds);
    set_count_ = 0;
    kept_bytes_ = std::max(kept_bytes_, int64_t(sizeof *this) + kBytesPerRead * bounds.reads +
                                            kBytesPerHaplotype * bounds.haplotypes +
                                            kBytesPerLetter * letters_);
}

void Piece::plan(const Call &call, Planners *planners) {
    reads_.sort();
    read_haplotypes(call, planners);
    const int32_t count = int32_t(bounds_.haplotypes);
    columns_.resize(size_t(count));
    std::iota(columns_.begin(), columns_.end(), 0);
    const HaplotypeSet &all = add_set(call, planners, 0, count);
    if (fits(call, all)) return;
    int64_t sets = 2;
    if (all.planned) {
        const Size size = size_of(call, all);
        sets = std::max(int64_t(size.bytes / kTileBytes), size.cells / kTileCells) + 1;
        sort_by_head(all.plan);
    }
    set_count_ = 0;
    divide(call, planners, 0, count, int32_t((count + sets - 1) / sets));
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

Piece::Size Piece::size_of(const Call &call, const HaplotypeSet &set) const {
    const TileKernel &kernel = call.kernels.wide;
    const int32_t rows = reads_.length(0);
    return {haplotype_bytes(kernel, rows, set.plan.view()),
            int64_t(kernel.lanes) * rows * set.plan.columns()};
}

bool Piece::fits(const Call &call, const HaplotypeSet &set) const {
    if (set.count == 1 || !set.planned) return set.count == 1;
    if (set.plan.joins.size() == 1) return true;
    const Size size = size_of(call, set);
    return size.bytes <= kTileBytes && size.cells <= kTileCells;
}

// Makes sets of `most` haplotypes, or fewer if these would take too much memory or time.
void Piece::divide(const Call &call, Planners *planners, int32_t first, int32_t end, int32_t most) {
    for (; first < end; first += most) {
        const int32_t count = std::min(most, end - first);
        if (fits(call, add_set(call, planners, first, count))) continue;
        set_count_--;
        divide(call, planners, first, first + count, (count + 1) / 2);
    }
}

const HaplotypeSet &Piece::add_set(const Call &call, Planners *planners, int32_t first,
                                   int32_t count) {
    if (sets_.size() == size_t(set_count_)) sets_.emplace_back();
    HaplotypeSet &set = sets_[size_t(set_count_++)];
    set.first = first;
    set.count = count;
    set.planned = true;
    const Haplotype *const haplotypes = haplotypes_.data() + first;
    if (call.flags)
        set.planned = planners->pdhmm.make(alphabet_, haplotypes, count, &set.plan);
    else
        planners->pairhmm.make(haplotypes, count, &set.plan);
    return set;
}

// Puts the haplotypes in an order in which neighbours share most of their heads.
void Piece::sort_by_head(const Plan &plan) {
    std::sort(columns_.begin(), columns_.end(), [&](int32_t x, int32_t y) {
        const int32_t head = plan.heads.leaf_of[size_t(x)], other = plan.heads.leaf_of[size_t(y)];
        return head != other ? head < other : plan.join_of[size_t(x)] < plan.join_of[size_t(y)];
    });
    const std::vector<Haplotype> as_given = haplotypes_;
    for (size_t h = 0; h < as_given.size(); h++) haplotypes_[h] = as_given[size_t(columns_[h])];
}

}  // namespace gkl_shim::hmm

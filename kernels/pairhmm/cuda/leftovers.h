// Parts of batches: consecutive reads as a batch (PartialBatch), and copies of reads that have no
// result yet, from many chunks (Leftovers).
#pragma once

#include <math.h>
#include <stdint.h>
#include <string.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "gkl_shim_internal.h"

namespace gkl_shim {
namespace pairhmm {

// The bits of a result that has not been computed: a NaN that no kernel makes.
constexpr uint64_t kNoResult = ~uint64_t(0);

inline double no_result() {
    double result;
    memcpy(&result, &kNoResult, sizeof result);
    return result;
}

inline bool is_untried(double result) {
    uint64_t bits;
    memcpy(&bits, &result, sizeof bits);
    return bits == kNoResult;
}

inline int64_t reads_of(const gkl_shim_pairhmm_batch &batch) {
    return batch.region_reads[batch.regions];
}
inline int64_t haplotypes_of(const gkl_shim_pairhmm_batch &batch) {
    return batch.region_haplotypes[batch.regions];
}
inline int64_t haplotypes_of(const gkl_shim_pairhmm_batch &batch, int64_t region) {
    return batch.region_haplotypes[region + 1] - batch.region_haplotypes[region];
}

// The arrays of a batch that have a byte for each base of a read.
constexpr const uint8_t *gkl_shim_pairhmm_batch::*kReadTracks[] = {
    &gkl_shim_pairhmm_batch::read_bases, &gkl_shim_pairhmm_batch::base_quals,
    &gkl_shim_pairhmm_batch::insertion_quals, &gkl_shim_pairhmm_batch::deletion_quals,
    &gkl_shim_pairhmm_batch::continuation_quals};
enum { kReadTrackCount = sizeof kReadTracks / sizeof *kReadTracks };

// Consecutive reads of a batch, [first, last), and where their results go.
struct Span {
    const gkl_shim_pairhmm_batch *batch;
    double *results;      // the batch's
    int64_t region;       // of the first read
    int64_t first, last;  // counted in the batch
    int64_t pair;         // the index of the first read's first result
};

// From one place in a batch, which is not its end, to another.
inline Span span_between(const gkl_shim_pairhmm_batch &batch, double *results,
                         const gkl_shim_cuda_chunk &begin, const gkl_shim_cuda_chunk &end) {
    return {&batch,
            results,
            begin.region,
            batch.region_reads[begin.region] + begin.read,
            batch.region_reads[end.region] + end.read,
            begin.pair + begin.read * haplotypes_of(batch, begin.region)};
}

inline Span whole(const gkl_shim_pairhmm_batch &batch, double *results) {
    return {&batch, results, 0, 0, reads_of(batch), 0};
}

// Calls take(region, first, last, results) for each region of a span: its reads [first, last), and
// the results of the first.
template <class Take>
void each_region(const Span &span, Take take) {
    double *results = span.results + span.pair;
    int64_t region = span.region;
    for (int64_t first = span.first; first < span.last; region++) {
        const int64_t last = std::min(span.batch->region_reads[region + 1], span.last);
        if (last == first) continue;
        take(region, first, last, results);
        results += (last - first) * haplotypes_of(*span.batch, region);
        first = last;
    }
}

inline int64_t pairs_of(const Span &span) {
    int64_t pairs = 0;
    each_region(span, [&](int64_t region, int64_t first, int64_t last, const double *) {
        pairs += (last - first) * haplotypes_of(*span.batch, region);
    });
    return pairs;
}

// Given a span, makes a batch of it. Bases and qualities are not copied.
struct PartialBatch {
    explicit PartialBatch(const Span &span) {
        const gkl_shim_pairhmm_batch &whole = *span.batch;
        const auto rebased = [](const int64_t *offsets, int64_t count) {
            std::vector<int64_t> from_zero(offsets, offsets + count + 1);
            for (int64_t &offset : from_zero) offset -= offsets[0];
            return from_zero;
        };
        region_reads.push_back(0);
        each_region(span, [&](int64_t region, int64_t, int64_t last, const double *) {
            // Regions without reads between two others keep their places.
            const int64_t before = region_reads.back();
            region_reads.resize(size_t(region + 1 - span.region), before);
            region_reads.push_back(last - span.first);
        });
        const int64_t regions = int64_t(region_reads.size()) - 1;
        const int64_t *const first_read = whole.read_offsets + span.first;
        const int64_t *const first_haplotype =
            whole.haplotype_offsets + whole.region_haplotypes[span.region];
        region_haplotypes = rebased(whole.region_haplotypes + span.region, regions);
        read_offsets = rebased(first_read, span.last - span.first);
        haplotype_offsets = rebased(first_haplotype, region_haplotypes.back());
        batch.regions = regions;
        batch.region_reads = region_reads.data();
        batch.region_haplotypes = region_haplotypes.data();
        batch.read_offsets = read_offsets.data();
        for (const auto track : kReadTracks) batch.*track = whole.*track + *first_read;
        batch.haplotype_offsets = haplotype_offsets.data();
        batch.haplotype_bases = whole.haplotype_bases + *first_haplotype;
    }
    PartialBatch(const PartialBatch &) = delete;

    gkl_shim_pairhmm_batch batch;
    std::vector<int64_t> region_reads, region_haplotypes, read_offsets, haplotype_offsets;
};

// Given reads with pairs that have no result, copies them and their regions' haplotypes, so that
// reads of many chunks are computed together.
class Leftovers {
   public:
    // A read of a batch, its results so far, and where its results are to be written.
    struct Row {
        int64_t read;
        const double *values;
        double *to;
    };

    int64_t missing = 0, cells = 0;  // pairs without a result, and their cells

    bool empty() const { return to_.empty(); }
    double *values() { return values_.data(); }
    int64_t pairs() const { return int64_t(values_.size()); }

    void add(const gkl_shim_pairhmm_batch &from, int64_t region, const Row &row) {
        if (&from != last_batch_ || region != last_region_) begin_region(from, region);
        const int64_t *const ends = from.read_offsets + row.read;
        const int64_t length = ends[1] - ends[0];
        for (int k = 0; k < kReadTrackCount; k++) {
            const uint8_t *const bytes = from.*kReadTracks[k];
            tracks_[k].insert(tracks_[k].end(), bytes + ends[0], bytes + ends[1]);
        }
        read_offsets_.push_back(read_offsets_.back() + length);
        region_reads_.back()++;
        const int64_t count = haplotypes_of(from, region);
        const int64_t *const offsets =
            haplotype_offsets_.data() + haplotype_offsets_.size() - 1 - count;
        for (int64_t h = 0; h < count; h++) {
            if (!isnan(row.values[h])) continue;
            missing++;
            cells += length * (offsets[h + 1] - offsets[h]);
        }
        values_.insert(values_.end(), row.values, row.values + count);
        to_.push_back(row.to);
    }

    // The next read belongs to another region.
    void end_region() { last_batch_ = nullptr; }

    // Valid until a read is added or this object is moved.
    gkl_shim_pairhmm_batch batch() const {
        gkl_shim_pairhmm_batch batch;
        batch.regions = int64_t(region_reads_.size()) - 1;
        batch.region_reads = region_reads_.data();
        batch.region_haplotypes = region_haplotypes_.data();
        batch.read_offsets = read_offsets_.data();
        for (int k = 0; k < kReadTrackCount; k++) batch.*kReadTracks[k] = tracks_[k].data();
        batch.haplotype_offsets = haplotype_offsets_.data();
        batch.haplotype_bases = haplotype_bases_.data();
        return batch;
    }

    // Where the results of a read of batch() are to be written.
    double *destination(int64_t read) const { return to_[size_t(read)]; }

    // Writes the results of a span of batch() to their destinations.
    void hand_over(const Span &span) const {
        each_region(span, [&](int64_t region, int64_t first, int64_t last, const double *values) {
            const int64_t count = haplotypes_of(*span.batch, region);
            for (int64_t read = first; read < last; read++, values += count)
                std::copy_n(values, count, destination(read));
        });
    }

   private:
    void begin_region(const gkl_shim_pairhmm_batch &from, int64_t region) {
        if (empty())
            for (auto *offsets :
                 {&region_reads_, &region_haplotypes_, &read_offsets_, &haplotype_offsets_})
                offsets->push_back(0);
        const int64_t *const offsets = from.haplotype_offsets + from.region_haplotypes[region];
        const int64_t count = haplotypes_of(from, region);
        const int64_t before = haplotype_offsets_.back() - offsets[0];
        for (int64_t h = 1; h <= count; h++) haplotype_offsets_.push_back(before + offsets[h]);
        haplotype_bases_.insert(haplotype_bases_.end(), from.haplotype_bases + offsets[0],
                                from.haplotype_bases + offsets[count]);
        region_haplotypes_.push_back(region_haplotypes_.back() + count);
        region_reads_.push_back(region_reads_.back());
        last_batch_ = &from;
        last_region_ = region;
    }

    // Of the last read that was added.
    const gkl_shim_pairhmm_batch *last_batch_ = nullptr;
    int64_t last_region_ = 0;

    std::vector<int64_t> region_reads_, region_haplotypes_, read_offsets_, haplotype_offsets_;
    std::vector<uint8_t> tracks_[kReadTrackCount], haplotype_bases_;
    std::vector<double> values_;
    std::vector<double *> to_;
};

}  // namespace pairhmm
}  // namespace gkl_shim

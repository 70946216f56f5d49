// Reads that lack results, of many chunks.
#pragma once

#include <math.h>

#include <algorithm>
#include <vector>

#include "gkl_shim_internal.h"
#include "hmm/cuda/planner/span.h"

namespace gkl_shim::pairhmm {

// Copies of reads with pairs that have no result, and of their regions' haplotypes. With copies,
// the reads of many chunks are computed together.
class UnfinishedReads {
   public:
    // A read of a batch, its results so far, and where its results are to be written.
    struct Read {
        int64_t index;
        const double *values;
        double *destination;
    };

    int64_t cells = 0;  // of the pairs without a result

    bool empty() const { return destinations_.empty(); }
    double *values() { return values_.data(); }
    int64_t pairs() const { return int64_t(values_.size()); }

    void add(const gkl_shim_pairhmm_batch &from, int64_t region, const Read &read) {
        if (&from != last_batch_ || region != last_region_) begin_region(from, region);
        const int64_t *const ends = from.read_offsets + read.index;
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
        for (int64_t h = 0; h < count; h++)
            if (isnan(read.values[h])) cells += length * (offsets[h + 1] - offsets[h]);
        values_.insert(values_.end(), read.values, read.values + count);
        destinations_.push_back(read.destination);
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
    double *destination(int64_t read) const { return destinations_[size_t(read)]; }

    // Writes the results of a span of batch() to their destinations.
    void copy_results(const Span &span) const {
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
    std::vector<double *> destinations_;
};

}  // namespace gkl_shim::pairhmm

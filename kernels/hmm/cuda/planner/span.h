// Spans: consecutive reads of a batch, and where their results go.
#pragma once

#include <string.h>

#include <algorithm>
#include <vector>

#include "gkl_shim_internal.h"

namespace gkl_shim::pairhmm {

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

// What was done about reads that lack results: single or double precision has tried those that are
// not is_untried(), or no device can compute them.
enum Tried { kTriedSingle, kTriedDouble, kNoDevice };

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

// A place in a batch where a chunk may begin. The reads of one region may be divided among chunks.
struct BatchPlace {
    int64_t region = 0;
    int64_t read = 0;  // index within the region
    int64_t pair = 0;  // index of the region's first result
};

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
                         const BatchPlace &begin, const BatchPlace &end) {
    return {&batch,
            results,
            begin.region,
            batch.region_reads[begin.region] + begin.read,
            batch.region_reads[end.region] + end.read,
            begin.pair + begin.read * haplotypes_of(batch, begin.region)};
}

// The bases of a span's reads.
inline int64_t bases_of(const Span &span) {
    return span.batch->read_offsets[span.last] - span.batch->read_offsets[span.first];
}

inline Span whole_span(const gkl_shim_pairhmm_batch &batch, double *results) {
    return {&batch, results, 0, 0, reads_of(batch), 0};
}

// Calls visit(region, first, last, results) for each region of a span: its reads [first, last), and
// the results of the first.
template <class Visit>
void each_region(const Span &span, Visit visit) {
    double *results = span.results + span.pair;
    int64_t region = span.region;
    for (int64_t first = span.first; first < span.last; region++) {
        const int64_t last = std::min(span.batch->region_reads[region + 1], span.last);
        if (last == first) continue;
        visit(region, first, last, results);
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

// A span as a batch. Bases and qualities are not copied.
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

}  // namespace gkl_shim::pairhmm

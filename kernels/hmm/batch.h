// The checks of a batch that PairHMM and PDHMM share.
#pragma once

#include "common/error.h"
#include "gkl_shim.h"

namespace gkl_shim::hmm {

// The most letters of a read, of a haplotype, and of all haplotypes of a region.
struct Limits {
    int32_t read, haplotype, region;
};

constexpr Limits kPairHmmLimits = {GKL_SHIM_PAIRHMM_LONGEST_READ,
                                   GKL_SHIM_PAIRHMM_LONGEST_HAPLOTYPE,
                                   GKL_SHIM_PAIRHMM_REGION_LETTERS};
constexpr Limits kPdHmmLimits = {GKL_SHIM_PDHMM_LONGEST_READ, GKL_SHIM_PDHMM_LONGEST_HAPLOTYPE,
                                 GKL_SHIM_PDHMM_REGION_LETTERS};

// The letters of all haplotypes of a region.
inline int64_t haplotype_letters(const gkl_shim_pairhmm_batch &batch, int64_t region) {
    return batch.haplotype_offsets[batch.region_haplotypes[region + 1]] -
           batch.haplotype_offsets[batch.region_haplotypes[region]];
}

// What the offsets of a batch say.
struct Shape {
    int64_t pairs = 0, cells = 0;
    int64_t letters = 0;        // the most that all haplotypes of a region have together
    bool one_haplotype = true;  // in each region
};

// Each of these returns false if something is wrong, and the last error then says what.

// Checks that the offsets are in order, that all sequences and regions are within the limits, and
// that the pairs and cells can be counted. Reads no base and no quality.
bool check_shape(const gkl_shim_pairhmm_batch &batch, Shape *shape, const Limits &limits);

// Finds the shape of a batch whose offsets are in order. Returns false if a region's haplotypes
// have more letters than `most_letters`, or if the counts overflow.
bool find_shape(const gkl_shim_pairhmm_batch &batch, Shape *shape,
                int64_t most_letters = kMaxElements);

// Counts the pairs of a batch whose offsets are in order.
int64_t count_pairs(const gkl_shim_pairhmm_batch &batch);

// The next two need a batch whose shape has been checked. No array of letters or qualities may be
// missing; the conventions must accept all letters.
bool check_arrays(const gkl_shim_pairhmm_batch &batch);
bool check_letters(bool as_gkl, const gkl_shim_pairhmm_batch &batch);

// Names the byte at index `at` of an array of sequences, and the problem with it. An `at` of -1
// means that there is none.
bool check_none(const char *name, const uint8_t *bytes, const int64_t *offsets, int64_t at,
                const char *problem);

}  // namespace gkl_shim::hmm

// The planner of chunks whose regions have one haplotype each. Such regions share no columns, so it
// has little to plan: how many lanes each pair takes.
#pragma once

#include <algorithm>

#include "gkl_shim_internal.h"
#include "hmm/batch.h"
#include "hmm/cuda/lone/lone_format.h"
#include "hmm/cuda/planner/chunk_plan.h"
#include "hmm/cuda/planner/span.h"

namespace gkl_shim::pairhmm {

// Whether each region of a batch has one haplotype, none is too long for the kernels, and most
// reads are not.
bool is_lone(int32_t precision, const gkl_shim_pairhmm_batch &batch, const hmm::Shape &shape);

// The plan of one chunk at a time, as the steps of planner/steps.h make it for other regions. A
// chunk takes the host little more time than reading the reads' tracks once: they are copied, a
// base and its quality in one byte if possible, and gap qualities that are the same for all bases
// are one byte in all.
class LonePlanner {
   public:
    // `double_blocks`: the most blocks of the kernel in double precision.
    LonePlanner(bool as_gkl, int32_t double_blocks)
        : as_gkl_(as_gkl), double_blocks_(double_blocks) {}

    // Chooses the reads of the chunk that begins at `place`, and moves `place` to where the next
    // chunk begins: at least one read, and otherwise at most `bases` bases. `one_gap`: all bases
    // are known to have the same gap qualities.
    void choose_reads(int32_t precision, const ChunkInputs &inputs, bool one_gap, int64_t bases,
                      BatchPlace *place);

    // Plans the chosen reads.
    void plan();

    int32_t precision() const { return precision_; }

    // The planned chunk. Its tiles are listed below, not in PlannedChunk.
    const PlannedChunk &chunk() const { return chunk_; }

    // Writes the planned chunk to a block of chunk().block_bytes bytes, whose address is a multiple
    // of 32. Then chunk().block_bytes is how many of them have to be sent. Throws Failed if the
    // conventions refuse a haplotype's letter.
    void write(uint8_t *block);

    // Copies the kernels' results to their places in `values`, as collect_results() does.
    int64_t collect(const double *results, double *values) const;

    // The chunk's reads that are not computed, because they are too long.
    int64_t long_reads() const { return end_read_ - first_read_ - computed_; }

    // Whether all reads fit one stripe of the kernel in double precision.
    bool fits_double() const { return fits_double_; }

    // Selects pairs for that kernel, which all reads must fit, given the chunk's block: those that
    // have no result, or all if `results` is null. Writes a LoneSelection and its list, of at most
    // chunk().scratch_bytes bytes, and returns their size.
    int64_t select(const uint8_t *block, const double *results, uint8_t *to);

    // Of a chunk for double precision: the offset of the selection of all pairs in the block. The
    // scratch has a LoneSeam for each block that computes reads of two stripes.
    int64_t selection() const { return selection_at_; }

    // The blocks of the kernel in double precision.
    int32_t double_blocks() const { return std::min(tiles[kDouble], double_blocks_); }

    // The kernel in double precision, after those in single precision.
    enum { kDouble = kLoneKernels };
    // For each kernel: its first tile, and how many it has.
    int32_t first_tile[kDouble + 1], tiles[kDouble + 1];

    // How many classes of length haplotypes are sorted into.
    enum { kSteps = 17 };

   private:
    // Kinds of pairs: by kernel, lanes and class of length.
    enum { kKinds = (kDouble * (kWarp + 1) + kLoneDoubleLanes + 1) * kSteps };

    template <class Take>
    void each_region(Take take) const;
    void place_pairs();
    void find_constants();
    bool write_codes(uint8_t *block) const;
    void copy_tracks(uint8_t *block) const;
    void write_letters(uint8_t *block) const;
    void write_pairs(uint8_t *block) const;

    const bool as_gkl_;
    const int32_t double_blocks_;
    int32_t precision_;
    PlannedChunk chunk_;
    gkl_shim_pairhmm_batch batch_;
    int64_t first_region_, first_read_, end_read_;
    int32_t threads_;
    int64_t first_base_, bases_, first_letter_, letters_;
    int64_t computed_;  // reads that are not too long
    bool fits_double_;
    int32_t kinds_[kKinds];    // where the pairs of each kind begin in the list of pairs
    LoneSelection selection_;  // of all pairs of a chunk for double precision
    int64_t selection_at_;     // in the block
    int64_t end_;              // of the block, without base qualities
    bool one_gap_;             // as choose_reads() was told
    bool one_gap_open_;        // insertion and deletion qualities are the same
    LoneHeader header_;
};

}  // namespace gkl_shim::pairhmm

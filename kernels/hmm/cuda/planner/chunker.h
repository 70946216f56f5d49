// The first step of the planner: the choice of a chunk's reads.
#pragma once

#include "gkl_shim_internal.h"
#include "hmm/cuda/planner/chunk_plan.h"

namespace gkl_shim::pairhmm {

// A chunk's haplotypes have no more letters than this: planning takes memory for each letter, and
// places in a block are 32 bits wide.
constexpr int64_t kChunkLetters = int64_t(1) << 24;

// The choice of a chunk's reads: regions in the batch's order, until the chunk is full.
class Chunker {
   public:
    explicit Chunker(ChunkPlan *plan) : plan_(*plan), options_(plan->options) {}

    // Lists the parts of the chunk that begins at `place`, and moves `place` to where the next
    // chunk begins. The region at `place` has at most kChunkLetters.
    void choose_reads(BatchPlace *place);

   private:
    // The reads of a region that are still to be computed, [first, reads_end).
    struct Region {
        int64_t number, first, reads_end;
        int64_t haplotypes, letters;  // and the bases of these
        int64_t first_pair;           // of the first read
        int64_t most_stripes;         // of a read that is computed
        int64_t state_bytes;          // of a base
    };

    Region region_at(const BatchPlace &place) const;
    bool add_all_reads(const Region &region);
    int64_t add_reads(const Region &region, int64_t *stripes, bool *any);
    void add_part(const Region &region, int64_t end, int64_t stripes);
    int64_t most_stripe_scratch(int64_t haplotypes, int64_t letters) const;
    int64_t most_stripes(int64_t haplotypes, int64_t letters) const;

    ChunkPlan &plan_;
    const PlannerOptions &options_;
    int64_t cells_ = 0, scratch_ = 0, letters_ = 0;
    int64_t group_nanoseconds_ = 0;  // of the last group
    bool is_full_ = false;
};

}  // namespace gkl_shim::pairhmm

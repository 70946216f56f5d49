// Reads on their way to a device: one after another in pinned memory, with offsets.
#pragma once

#include <stdint.h>

#include <algorithm>
#include <vector>

#include "correct/reads.h"

namespace gkl_shim::correct {

// Where a chunk of reads ends, and what it has.
struct Cut {
    int64_t end, bases, kmers;
    int32_t longest;
};

// Reads, and the sums of neighbouring ones, so that nobody has to look at all reads to cut them
// into chunks.
class ReadBlocks {
   public:
    ReadBlocks(const Read *reads, int64_t count, int k, int threads);

    int64_t bases() const { return bases_; }

    // A chunk that begins at `first` and ends after about `most` bases, and at least one read.
    Cut cut(int64_t first, int64_t most) const;

    // Copies the reads [first, last). `qualities` may be null; reads without any get 0.
    void stage(int64_t first, int64_t last, uint32_t *offsets, uint8_t *letters, uint8_t *qualities,
               int threads) const;

   private:
    // Reads of a block. One task copies them.
    static constexpr int64_t kBlock = 1024;

    void add(const Read &read, Cut *sums) const;
    int64_t end_of_block(int64_t read) const {
        return std::min((read / kBlock + 1) * kBlock, count_);
    }

    const Read *const reads_;
    const int64_t count_;
    const int k_;
    std::vector<Cut> blocks_;
    int64_t bases_ = 0;
};

}  // namespace gkl_shim::correct

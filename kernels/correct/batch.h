// The reads of a gkl_shim_correct_batch.
#pragma once

#include <memory>

#include "correct/reads.h"
#include "gkl_shim.h"

namespace gkl_shim::correct {

class CheckedReads {
   public:
    // Sets the error and returns false if the batch is not valid. Unless `copy` is null, the
    // letters are copied there, and the reads have the copies. Throws std::bad_alloc.
    bool open(const gkl_shim_correct_batch *batch, uint8_t *copy, int threads);

    const Read *get() const { return reads_.get(); }
    int64_t count() const { return count_; }

   private:
    std::unique_ptr<Read[]> reads_;
    int64_t count_ = 0;
};

}  // namespace gkl_shim::correct

// The reads of a gkl_shim_correct_batch.
#pragma once

#include "common/memory/buffer.h"
#include "correct/reads.h"
#include "gkl_shim.h"

namespace gkl_shim::correct {

class CheckedReads {
   public:
    // Sets the error and returns false if the batch is not valid. Unless `copy` is null, the
    // letters are copied there, and the reads have the copies. Throws std::bad_alloc.
    bool open(const gkl_shim_correct_batch *batch, uint8_t *copy, int threads);

    const Read *get() const { return reads_.data(); }
    int64_t count() const { return reads_.size(); }

   private:
    Buffer<Read> reads_;
};

}  // namespace gkl_shim::correct

// An index as bytes, and back.
#pragma once

#include <mutex>
#include <vector>

#include "gkl_shim.h"
#include "mem/index/index.h"

namespace gkl_shim::mem {

// The pieces of a saved index. Most of them are the index's own arrays.
class SavedIndex {
   public:
    // The first call makes the pieces. Throws std::bad_alloc.
    const std::vector<gkl_shim_mem_piece> &pieces(const Index &index) const;

   private:
    mutable std::mutex mutex_;
    mutable std::vector<int64_t> head_, starts_;
    mutable std::vector<gkl_shim_mem_piece> pieces_;
};

// Throws Failed if the bytes are not a saved index, and std::bad_alloc. Whatever the bytes are, a
// search of the index that is returned stays within its arrays.
Index load_index(const uint8_t *bytes, int64_t size, int threads);

// Whether an index was made from these sequences.
bool is_of(const Index &index, const gkl_shim_mem_sequences &sequences);

}  // namespace gkl_shim::mem

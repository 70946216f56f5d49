// Buffers that a thread keeps for its next call.
#pragma once

#include <stddef.h>

#include <utility>

#include "common/per_thread.h"

namespace gkl_shim::jni {

// The memory of vectors and strings.
template <class... Containers>
size_t capacity_bytes(const Containers &...containers) {
    return ((containers.capacity() * sizeof(typename Containers::value_type)) + ...);
}

// The calling thread's buffers, for one call. Make this before the buffers are filled: at the end
// of the call, which may fail, it frees them if they have more bytes than a thread keeps.
template <class Buffers, size_t kMostBytes>
class KeptBuffers {
   public:
    // Throws std::bad_alloc.
    explicit KeptBuffers(const PerThread<Buffers> &of_threads) : buffers_(*of_threads) {}
    ~KeptBuffers() {
        // Assigning an empty string would keep the memory.
        if (buffers_.bytes() > kMostBytes) const Buffers freed(std::move(buffers_));
    }
    KeptBuffers(const KeptBuffers &) = delete;

    Buffers &operator*() const { return buffers_; }

   private:
    Buffers &buffers_;
};

}  // namespace gkl_shim::jni

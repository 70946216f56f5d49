// Memory that is kept between calls, so that later calls need not allocate.
#pragma once

#include <stddef.h>
#include <stdlib.h>

#include <new>

namespace gkl_shim {

// A 64-byte aligned buffer that grows on demand and is reused. Growing loses its content.
class Scratch {
   public:
    ~Scratch() { free(memory_); }

    // Returns at least `bytes` bytes. Throws std::bad_alloc.
    void *get(size_t bytes) {
        if (bytes > size_) {
            release();
            const size_t size = (bytes + bytes / 4 + 4095) & ~size_t(4095);
            memory_ = aligned_alloc(64, size);
            if (!memory_) throw std::bad_alloc();
            size_ = size;
        }
        return memory_;
    }

    // Frees the buffer if it is too large to be kept after a rare, huge input.
    void trim(size_t most) {
        if (size_ > most) release();
    }

   private:
    void release() {
        free(memory_);
        memory_ = nullptr;
        size_ = 0;
    }

    void *memory_ = nullptr;
    size_t size_ = 0;
};

}  // namespace gkl_shim

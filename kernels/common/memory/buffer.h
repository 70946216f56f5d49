// Memory for large arrays.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <memory>

namespace gkl_shim {

// Blocks of 128 KiB or more that are given back are kept for later calls, up to 1 GiB in all: new
// memory is slow to use for the first time, because the system fills it with zeros. Throws
// std::bad_alloc.
void *take_memory(size_t bytes);
// `bytes` is what was taken.
void give_memory_back(void *memory, size_t bytes);

// Memory that is not set to zero, because threads fill it.
template <class T>
class Buffer {
   public:
    Buffer() = default;
    explicit Buffer(int64_t size)
        : memory_(static_cast<T *>(take_memory(bytes_of(size))), Free{bytes_of(size)}),
          size_(size) {}
    T *data() const { return memory_.get(); }
    int64_t size() const { return size_; }
    T &operator[](int64_t k) const { return memory_.get()[k]; }

   private:
    static size_t bytes_of(int64_t size) { return size_t(size) * sizeof(T) + 1; }

    struct Free {
        size_t bytes = 0;
        void operator()(T *memory) const { give_memory_back(memory, bytes); }
    };
    std::unique_ptr<T, Free> memory_;
    int64_t size_ = 0;
};

}  // namespace gkl_shim

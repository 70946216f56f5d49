// A text: the letters of a reference or of a block of queries, prepared for seeds.
#pragma once

#include <stdint.h>

#include <memory>
#include <vector>

#include "mem/memory.h"
#include "mem/model.h"

namespace gkl_shim {
namespace mem {

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

enum class Role { kReference, kQuery, kReversedQuery };

// Sequence k of a text is [starts[k], starts[k + 1] - 1): an end byte follows each.
class Text {
   public:
    Text() = default;
    // Copies sequences. With `nucleotides_only`, letters other than acgt match nothing. A
    // kReversedQuery holds the reverse complement of each sequence. Throws std::bad_alloc.
    Text(Role role, bool nucleotides_only, const uint8_t *letters, const int64_t *offsets,
         int64_t count, int threads);
    // Copies a text of a reference that is already prepared, with its end bytes.
    Text(const uint8_t *letters, std::vector<int64_t> starts, int threads);

    TextView view() const {
        return {letters_.data() + kGuard, codes_.data() + kGuard, odd_.data() + kGuard, size_};
    }
    int64_t size() const { return size_; }
    int64_t count() const { return int64_t(starts_.size()) - 1; }
    const std::vector<int64_t> &starts() const { return starts_; }
    // Letters other than acgt that can match.
    int64_t odd_letters() const { return odd_letters_; }
    // The sequence that holds a position.
    int64_t sequence_at(int64_t position) const;
    int64_t length(int64_t sequence) const {
        return starts_[size_t(sequence + 1)] - starts_[size_t(sequence)] - 1;
    }

   private:
    enum { kGuard = 64 };

    // Sequence k is copied from letters + sources[k].
    void fill(Role role, bool nucleotides_only, const uint8_t *letters, const int64_t *sources,
              int threads);

    int64_t size_ = 0;  // with the end bytes
    int64_t odd_letters_ = 0;
    std::vector<int64_t> starts_;
    Buffer<uint8_t> letters_, codes_, odd_;
};

}  // namespace mem
}  // namespace gkl_shim

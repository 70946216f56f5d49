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

// Where sequences begin in a text: an end byte follows each. They are computed, because an array
// for millions of queries takes time to fill.
struct SequenceStarts {
    const int64_t *offsets;  // of the sequences' letters: count + 1
    int64_t count;
    int64_t end_bytes;  // of each sequence that the offsets do not count: 1, or 0 if they do

    // [count] is the size of the text.
    int64_t operator[](int64_t sequence) const { return offsets[sequence] + sequence * end_bytes; }
    // The last sequence that begins at a position or before it; `count` at the end of the text.
    int64_t sequence_at(int64_t position) const;
};

// The sequences that a text is made of, and what their letters become in it.
class TextSource {
   public:
    // With `nucleotides_only`, letters other than acgt match nothing. Sequence k is
    // [starts[k], starts[k + 1] - 1) of the text, and its letters are copied from
    // letters + starts.offsets[k]. Keeps the addresses of the letters and the offsets.
    TextSource(Role role, bool nucleotides_only, const uint8_t *letters,
               const SequenceStarts &starts);

    // Writes the bytes [begin, end) of the text.
    void copy(int64_t begin, int64_t end, uint8_t *out) const;

    uint8_t end_byte() const { return role_ == Role::kReference ? kReferenceEnd : kQueryEnd; }
    bool is_reversed() const { return role_ == Role::kReversedQuery; }
    const LetterTable &table() const { return table_; }
    const uint8_t *letters() const { return letters_; }
    const SequenceStarts &starts() const { return starts_; }
    int64_t size() const { return starts_[starts_.count]; }  // of the text

   private:
    Role role_;
    LetterTable table_;
    const uint8_t *letters_;
    SequenceStarts starts_;
};

// Sequence k of a text is [starts[k], starts[k + 1] - 1): an end byte follows each.
class Text {
   public:
    Text() = default;
    // Copies a reference. With `nucleotides_only`, letters other than acgt match nothing. Throws
    // std::bad_alloc, as the other constructors do.
    Text(bool nucleotides_only, const uint8_t *letters, const int64_t *offsets, int64_t count,
         int threads);
    // Copies a text of a reference that is already prepared, with its end bytes.
    Text(const uint8_t *letters, std::vector<int64_t> starts, int threads);
    // Copies queries. Their text has no starts(), and no call that needs these may be made.
    Text(const TextSource &queries, int threads);

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

    void fill(const TextSource &source, int threads);

    int64_t size_ = 0;  // with the end bytes
    int64_t odd_letters_ = 0;
    std::vector<int64_t> starts_;
    Buffer<uint8_t> letters_, codes_, odd_;
};

}  // namespace mem
}  // namespace gkl_shim

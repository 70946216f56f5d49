// A text: the letters of a reference or of a block of queries, prepared for seeds.
#pragma once

#include <stdint.h>

#include <memory>
#include <mutex>
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

// The sequences that a text is made of, and what their letters become in it.
class TextSource {
   public:
    TextSource() = default;
    // With `nucleotides_only`, letters other than acgt match nothing. Sequence k is
    // [starts[k], starts[k + 1] - 1) of the text, and its letters are copied from
    // letters + offsets[k]. Keeps the addresses of all of them.
    TextSource(Role role, bool nucleotides_only, const uint8_t *letters, const int64_t *offsets,
               const std::vector<int64_t> &starts);

    // Writes the bytes [begin, end) of the text.
    void copy(int64_t begin, int64_t end, uint8_t *out) const;
    // Letters other than acgt that can match.
    int64_t odd_letters(int threads) const;

    uint8_t end_byte() const { return role_ == Role::kReference ? kReferenceEnd : kQueryEnd; }
    bool is_reversed() const { return role_ == Role::kReversedQuery; }
    const LetterTable &table() const { return table_; }
    const uint8_t *letters() const { return letters_; }
    // Where the letters of a sequence begin in letters().
    int64_t offset(int64_t sequence) const { return offsets_[sequence]; }
    // Whether letters() has an end byte after each sequence: those of a text that was prepared.
    bool has_end_bytes() const { return offsets_ == starts_->data(); }
    const std::vector<int64_t> &starts() const { return *starts_; }

   private:
    Role role_ = Role::kQuery;
    LetterTable table_ = {};
    const uint8_t *letters_ = nullptr;
    const int64_t *offsets_ = nullptr;
    const std::vector<int64_t> *starts_ = nullptr;
};

// Sequence k of a text is [starts[k], starts[k + 1] - 1): an end byte follows each.
class Text {
   public:
    // Copies sequences. With `nucleotides_only`, letters other than acgt match nothing. A
    // kReversedQuery holds the reverse complement of each sequence. If `borrowed`, only the first
    // view() copies the sequences, and their arrays must stay as they are. Throws std::bad_alloc.
    Text(Role role, bool nucleotides_only, const uint8_t *letters, const int64_t *offsets,
         int64_t count, int threads, bool borrowed = false);
    // Copies a text of a reference that is already prepared, with its end bytes.
    Text(const uint8_t *letters, std::vector<int64_t> starts, int threads);

    // The prepared text. Threads may share it. Throws std::bad_alloc.
    TextView view() const;
    // What the text is made of: sequences that were borrowed, or the prepared letters.
    TextSource source() const;
    int64_t size() const { return size_; }
    int64_t count() const { return int64_t(starts_.size()) - 1; }
    const std::vector<int64_t> &starts() const { return starts_; }
    // The sequence that holds a position.
    int64_t sequence_at(int64_t position) const;
    int64_t length(int64_t sequence) const {
        return starts_[size_t(sequence + 1)] - starts_[size_t(sequence)] - 1;
    }

   private:
    enum { kGuard = 64 };

    struct Prepared {
        std::once_flag once;
        Buffer<uint8_t> letters, codes, odd;
    };

    void prepare(const TextSource &source) const;

    Role role_;
    bool nucleotides_only_;
    int threads_;
    const uint8_t *borrowed_letters_ = nullptr;  // or null
    const int64_t *borrowed_offsets_ = nullptr;
    int64_t size_;  // with the end bytes
    std::vector<int64_t> starts_;
    std::unique_ptr<Prepared> prepared_ = std::make_unique<Prepared>();
};

}  // namespace mem
}  // namespace gkl_shim

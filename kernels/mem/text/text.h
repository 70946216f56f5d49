// A text: the letters of a reference or of a block of queries, prepared for seeds.
#pragma once

#include <stdint.h>

#include <memory>

#include "common/memory/buffer.h"
#include "mem/model.h"

namespace gkl_shim::mem {

enum class Role { kReference, kQuery, kReversedQuery };

// Where sequences begin in a text: an end byte follows each. They are computed, because an array
// for millions of queries takes time to fill.
struct SequenceStarts {
    const int64_t *offsets;  // of the sequences' letters: count + 1
    int64_t count;
    int64_t end_bytes;  // 1 if the offsets count letters alone, 0 if they count end bytes, too

    // [count] is the size of the text.
    int64_t operator[](int64_t sequence) const { return offsets[sequence] + sequence * end_bytes; }
    // The last sequence that begins at a position or before it; `count` at the end of the text.
    int64_t sequence_at(int64_t position) const;
};

// The sequences that a text is made of, and what their letters become in it.
class TextSource {
   public:
    // With `nucleotides_only`, letters other than acgt match nothing. A kReversedQuery has the
    // reverse complement of each sequence. Sequence k is [starts[k], starts[k + 1] - 1) of the
    // text, and its letters are copied from letters + starts.offsets[k]. Keeps the addresses of the
    // letters and the offsets.
    TextSource(Role role, bool nucleotides_only, const uint8_t *letters,
               const SequenceStarts &starts);

    // Writes the bytes [begin, end) of the text.
    void copy(int64_t begin, int64_t end, uint8_t *out) const;
    // Letters other than acgt that can match.
    int64_t odd_letters(int threads) const;

    uint8_t end_byte() const { return role_ == Role::kReference ? kReferenceEnd : kQueryEnd; }
    bool is_reversed() const { return role_ == Role::kReversedQuery; }
    const LetterTable &table() const { return table_; }
    const uint8_t *letters() const { return letters_; }
    // Whether letters() has an end byte after each sequence, too.
    bool has_end_bytes() const { return starts_.end_bytes == 0; }
    const SequenceStarts &starts() const { return starts_; }
    int64_t size() const { return starts_[starts_.count]; }  // of the text

   private:
    Role role_;
    LetterTable table_;
    const uint8_t *letters_;
    SequenceStarts starts_;
};

// A text in memory.
class Text {
   public:
    // Throws std::bad_alloc.
    Text(const TextSource &source, int threads);

    TextView view() const {
        return {letters_.data() + kGuard, codes_.data() + kGuard, odd_.data() + kGuard, size_};
    }

   private:
    enum { kGuard = 64 };

    int64_t size_;  // with the end bytes
    Buffer<uint8_t> letters_, codes_, odd_;
};

}  // namespace gkl_shim::mem

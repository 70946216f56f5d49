// The reference: its sequences, and their text.
#pragma once

#include <stdint.h>

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "mem/text.h"

namespace gkl_shim {
namespace mem {

class Reference {
   public:
    // Copies sequences. With `nucleotides_only`, letters other than acgt match nothing. If
    // `borrowed`, only the first text() copies them, and their arrays must stay as they are. Throws
    // std::bad_alloc.
    Reference(bool nucleotides_only, const uint8_t *letters, const int64_t *offsets, int64_t count,
              int threads, bool borrowed);
    // Copies a text that is already prepared, with its end bytes.
    Reference(const uint8_t *text, std::vector<int64_t> starts, int threads);

    // The prepared text. Threads may share it. Throws std::bad_alloc.
    TextView text() const;
    // What the text is made of: sequences that were borrowed, or the prepared letters.
    TextSource source() const;

    SequenceStarts starts() const {
        return borrowed_letters_ ? borrowed_ : SequenceStarts{starts_.data(), count(), 0};
    }
    int64_t count() const { return count_; }
    int64_t size() const { return starts()[count_]; }  // of the text, with the end bytes
    // The letters of a sequence.
    int64_t length(int64_t sequence) const {
        return starts()[sequence + 1] - starts()[sequence] - 1;
    }

   private:
    struct Prepared {
        std::once_flag once;
        std::optional<Text> text;
    };

    bool nucleotides_only_;
    int threads_;
    int64_t count_;
    std::vector<int64_t> starts_;                // in the text, if it was not borrowed
    const uint8_t *borrowed_letters_ = nullptr;  // or null
    SequenceStarts borrowed_ = {};
    std::unique_ptr<Prepared> prepared_ = std::make_unique<Prepared>();
};

}  // namespace mem
}  // namespace gkl_shim

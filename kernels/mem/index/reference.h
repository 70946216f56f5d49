// The reference: its sequences, and their text.
#pragma once

#include <stdint.h>

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "mem/text/text.h"

namespace gkl_shim::mem {

class Reference {
   public:
    // Copies sequences. With `nucleotides_only`, letters other than acgt match nothing. If
    // `borrowed`, only the first text() copies them, and their arrays must stay valid and
    // unchanged. Throws std::bad_alloc.
    Reference(bool nucleotides_only, const uint8_t *letters, const int64_t *offsets, int64_t count,
              int threads, bool borrowed);
    // Copies a text that is already prepared, with its end bytes.
    Reference(const uint8_t *text, std::vector<int64_t> starts, int threads);

    // The prepared text. Threads may share it. Throws std::bad_alloc.
    TextView text() const;
    // The source of the text: the borrowed sequences, or the prepared letters.
    TextSource source() const;

    SequenceStarts starts() const {
        if (borrowed_) return borrowed_->starts();
        return {starts_.data(), int64_t(starts_.size()) - 1, 0};
    }
    int64_t count() const { return starts().count; }
    int64_t size() const { return starts()[count()]; }  // of the text, with the end bytes

   private:
    struct Prepared {
        std::mutex mutex;
        std::optional<Text> text;
    };

    int threads_;
    std::optional<TextSource> borrowed_;
    std::vector<int64_t> starts_;  // in the text, if nothing is borrowed
    std::unique_ptr<Prepared> prepared_ = std::make_unique<Prepared>();
};

}  // namespace gkl_shim::mem

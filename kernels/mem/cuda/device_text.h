// A part of a text in device memory. The device makes it from the letters of the sequences.
#pragma once

#include <stdint.h>

#include <vector>

#include "gpu/kept_memory.h"
#include "mem/cuda/stream.h"
#include "mem/text/chunks.h"
#include "mem/text/text.h"

namespace gkl_shim::mem {

// The letters before a part in which a match may start, and those after it that tell whether a
// match is long enough. They are sent with the part.
int64_t letters_before(const Seeds &seeds);
int64_t letters_after(int64_t min_length);

// The letters of a part of a text, their codes and odd bits, in device memory. The device's context
// is current in all calls and in the destructor.
class DeviceText {
   public:
    // Sets the part: the chunk, and up to `before` letters before and `after` letters after it that
    // belong to its first and its last sequence. `starts` are those of the sequences in the text.
    void set_part(const Chunk &chunk, const SequenceStarts &starts, int64_t before, int64_t after);
    // Makes the part of a text that has sequences of the same lengths. Sends the letters, unless
    // the text made before has the same.
    void make(Stream *stream, const TextSource &source, int threads);

    // Positions count from `origin` of the text.
    TextView view() const;
    int64_t origin() const { return begin_; }
    int64_t end() const { return end_; }
    // The position where the text goes on, or -1: no match ends there.
    int64_t cut() const { return cut_ ? end_ : -1; }

   private:
    // The letters in memory: kGuard end bytes, those of the positions, and end bytes again.
    int64_t letter_bytes() const;
    uint8_t *letters() const { return text_.as<uint8_t>(); }
    // The codes follow the letters, and the odd bits follow the codes.
    uint8_t *codes() const { return letters() + letter_bytes(); }
    uint8_t *odd() const { return codes() + letter_bytes() / 4; }

    // Sends the starts, and `count` letters from the first one on.
    void send(Stream *stream, const TextSource &source, int64_t first, int64_t count, int threads);

    int64_t begin_ = 0, end_ = 0;
    bool cut_ = false;
    int64_t sequence_ = 0, before_ = 0;  // the first sequence, and its letters before begin_
    int64_t end_bytes_ = 0;              // in the part
    std::vector<uint32_t> starts_;       // of the sequences, counted from begin_; one at least
    int64_t sent_ = -1;                  // the first letter that was sent, among the source's
    gpu::KeptMemory<uint64_t> source_;   // the starts, and then the letters of the source
    gpu::KeptMemory<uint64_t> text_;
};

}  // namespace gkl_shim::mem

// A chunk of queries on a device: its raw letters, and the text of a strand.
#pragma once

#include <stdint.h>

#include <vector>

#include "gpu/kept_memory.h"
#include "mem/cuda/chunks.h"
#include "mem/cuda/device_text.h"
#include "mem/cuda/stream.h"
#include "mem/text.h"

namespace gkl_shim {
namespace mem {

class DeviceQueries {
   public:
    // Takes the next chunk. If it is a part of a query, its texts will have `before` letters before
    // it and `after` letters after it. `starts` are those of the queries in a text.
    void take(const Chunk &chunk, const SequenceStarts &starts, int64_t before, int64_t after);
    // Makes the text of a strand. Sends the letters, unless the other strand has the same.
    void make_text(Stream *stream, const TextSource &strand, int threads);
    void free(const CudaDriver &driver);

    const DeviceText &text() const { return text_; }

   private:
    // Sends the starts, and the raw letters from `first` on.
    void send(Stream *stream, const uint8_t *letters, int64_t first, int threads);

    int64_t begin_ = 0, end_ = 0;  // the positions of the text
    bool cut_ = false;
    std::vector<uint32_t> starts_;        // of the queries in the text, counted from begin_
    int64_t letters_ = 0;                 // raw ones
    int64_t forward_ = 0, reversed_ = 0;  // the first of them, among those of all queries
    int64_t sent_ = -1;                   // forward_ or reversed_, if these letters were sent
    gpu::KeptMemory<uint64_t> memory_;    // the starts, and then the letters
    DeviceText text_;
};

}  // namespace mem
}  // namespace gkl_shim

// A chunk of queries on a device: its letters as they are given, and the text of a strand.
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
    // Takes the next chunk. Of a part of a query, its texts will have `before` and `after` letters
    // around the chunk. `starts` are those of the queries in the texts.
    void take(const Chunk &chunk, const std::vector<int64_t> &starts, int64_t before,
              int64_t after);
    // Makes the text of a strand. Sends the letters, unless the other strand has the same.
    void make_text(Stream *stream, const TextSource &strand, int threads);
    void free(const CudaDriver &driver);

    const DeviceText &text() const { return text_; }

   private:
    void send(Stream *stream, const TextSource &strand, int64_t first, int threads);

    int64_t begin_ = 0, end_ = 0;          // the positions of the text
    int64_t query_ = 0, after_query_ = 0;  // the queries that it holds
    int64_t skipped_ = 0;                  // letters of the first query that come before it
    int64_t letters_ = 0;
    bool cut_ = false;
    std::vector<uint32_t> starts_;      // of these queries, counted from begin_
    int64_t sent_ = -1;                 // the first letter that was sent of this chunk
    gpu::KeptMemory<uint64_t> memory_;  // the starts, and then the letters
    DeviceText text_;
};

}  // namespace mem
}  // namespace gkl_shim

// Finds the matches of chunks of queries in the page that a device has indexed.
#pragma once

#include <stdint.h>

#include <functional>

#include "gpu/kept_memory.h"
#include "mem/cuda/device_page.h"
#include "mem/cuda/device_text.h"
#include "mem/cuda/found_matches.h"
#include "mem/cuda/stream.h"

namespace gkl_shim::mem {

// What is the same for all chunks of a search.
struct ChunkSettings {
    Seeds seeds;  // with the step of these queries
    int64_t min_length;
    int64_t max_matches;  // that are fetched together
    int threads;
};

// A stream and the memory of one chunk of queries. The device's context is current in all calls.
class Searcher {
   public:
    Searcher(const CudaDriver &driver, const gkl_shim_mem_cuda_kernels &kernels)
        : stream(driver, kernels) {}
    ~Searcher() { stream.finish(); }
    Searcher(const Searcher &) = delete;

    // Sets the chunk that find() searches. `starts` are those of the queries in the texts.
    void set_chunk(const Chunk &chunk, const SequenceStarts &starts, const ChunkSettings &settings);
    // Finds the matches of a strand that start in the chunk. Calls collect(begin, end, found) with
    // those of each part of it, one part after the other. A part has at most settings.max_matches
    // matches, or one position. The matches are valid during the call.
    void find(
        const DevicePage &page, const TextSource &strand, const ChunkSettings &settings,
        const std::function<void(int64_t begin, int64_t end, const FoundMatches &found)> &collect);

    Stream stream;

   private:
    // Returns how many matches there are, and leaves in places_ how many start at each position.
    int64_t count(MatchWork *work);
    // Writes the matches in their order and fetches them.
    const Found *fetch(MatchWork *work, int64_t matches);

    Chunk chunk_ = {};
    DeviceText queries_;
    // Of the matches: how many there are, their places, and the matches before and after they are
    // put in order.
    gpu::KeptMemory<uint64_t> total_, places_, unordered_, ordered_;
    gpu::KeptMemory<void *> fetched_;
};

}  // namespace gkl_shim::mem

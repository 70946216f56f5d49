// A search of queries on devices.
//
// The reference is divided into pages, and the queries into chunks, which are searched on both
// strands. With several pages, each device takes some of them and searches all chunks; with one,
// the devices share the chunks. A device keeps the page that it indexed last for later searches.
// Several streams of a device take chunks in turn, so that kernels, transfers and the work of the
// host overlap.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "gkl_shim_internal.h"
#include "gpu/devices.h"
#include "gpu/free_in.h"
#include "mem/cuda/searcher.h"
#include "mem/index/index.h"
#include "mem/results.h"

namespace gkl_shim::mem {

// The page that a device has indexed, and a searcher for each of its streams.
struct SearchDevice {
    SearchDevice(gpu::Device &given_device, const gkl_shim_mem_cuda_kernels &given_kernels,
                 int count)
        : device(given_device), kernels(given_kernels) {
        const CudaContext current(device.driver, device.context);
        page = std::make_unique<DevicePage>(device.driver);
        try {
            for (int k = 0; k < count; k++)
                searchers.push_back(std::make_unique<Searcher>(device.driver, kernels));
        } catch (...) {
            // While the context is current.
            searchers.clear();
            page.reset();
            throw;
        }
    }
    ~SearchDevice() { gpu::free_in(device.driver, device.context, searchers, page); }

    gpu::Device &device;
    const gkl_shim_mem_cuda_kernels kernels;
    std::unique_ptr<DevicePage> page;
    std::vector<std::unique_ptr<Searcher>> searchers;
};

// The matches of a chunk, or of a part of it, from all pages.
struct Piece {
    int64_t begin;
    Buffer<Match> matches;
    Slices slices;  // instead, if not all matches are wanted
};

// One strand of the queries.
struct DeviceStrandSearch {
    bool reverse;
    TextSource text;
    std::vector<Piece> pieces = {};

    // Puts the pieces together.
    Strand finish(int kind, int threads);
};

// A search of all strands.
struct DeviceSearch {
    const Index &index;
    const gkl_shim_mem_search &settings;
    const SequenceStarts starts;  // of the queries
    gpu::Devices &all_devices;
    std::vector<SearchDevice *> devices;  // those in use
    std::vector<DeviceStrandSearch> strands;
    std::vector<Chunk> chunks;
    int64_t last_position;  // of a strand's text
    int64_t pages, page_letters;
    Seeds page_seeds;
    ChunkSettings chunk_settings;

    // With several pages, the matches that some of them have in a chunk.
    struct ChunkMatches {
        int64_t pages = 0;
        std::vector<Buffer<Found>> memory = {};
        std::vector<FoundMatches> found = {};
    };

    std::mutex mutex = {};
    std::vector<ChunkMatches> chunk_matches = {};  // by chunk and strand
    std::atomic<int64_t> next_chunk{0};
    std::atomic<int64_t> match_count{0};

    int64_t device_count() const { return int64_t(devices.size()); }
    int64_t chunk_count() const { return int64_t(chunks.size()); }
    // Whether a part of a search has enough matches. With several pages, all chunks are needed.
    bool is_full() const { return is_part(settings) && pages == 1 && match_count > settings.most; }
    // The position before which all matches start: no chunk is left out before it.
    int64_t end() const {
        const int64_t taken = pages == 1 ? int64_t(next_chunk) : chunk_count();
        return taken < chunk_count() ? chunks[size_t(taken)].begin : last_position;
    }

    // Searches on all devices. Throws CudaFailure after it has taken the device that failed out of
    // use.
    void run();

    // Calls work(device). Takes the device out of use if it fails.
    template <class Work>
    void on_device(int64_t number, const Work &work) {
        SearchDevice &device = *devices[size_t(number)];
        try {
            work(device);
        } catch (const CudaFailure &failure) {
            all_devices.retire(&device.device, failure);
            throw;
        }
    }

    void index_page(SearchDevice &device, int64_t page);

    // Searches the chunks from `next` on in the page that the device has indexed.
    void search_page(SearchDevice &device, std::atomic<int64_t> &next);

    void search_chunk(SearchDevice &device, Searcher &searcher, int64_t number);

    // Copies matches, whose memory the searcher uses again.
    void copy(ChunkMatches *matches, FoundMatches found) const;

    // Takes one page's matches of a strand of a chunk. The last page's call collects those of all
    // pages.
    void add_page(DeviceStrandSearch &strand, int64_t number, ChunkMatches matches);

    // Makes the matches that start in [begin, end) of a strand a piece of the result.
    void collect(DeviceStrandSearch &strand, int64_t begin, int64_t end,
                 const std::vector<FoundMatches> &found);
};

}  // namespace gkl_shim::mem

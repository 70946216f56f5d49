// One device's part of a search: indexes a page, and finds the matches of queries in it.
#pragma once

#include <stdint.h>

#include <chrono>
#include <functional>

#include "gkl_shim_internal.h"
#include "gpu/driver.h"
#include "gpu/kept_memory.h"
#include "mem/cpu/index.h"
#include "mem/cuda/device_text.h"
#include "mem/cuda/work.h"
#include "mem/results.h"

namespace gkl_shim {
namespace mem {

// Seconds of each step.
struct StepTimes {
    double index = 0, match = 0, expand = 0, collect = 0;
};

// Adds the time that has passed since it was made, or since its last call.
class Stopwatch {
   public:
    void add_to(double *seconds) {
        const auto now = std::chrono::steady_clock::now();
        *seconds += std::chrono::duration<double>(now - last_).count();
        last_ = now;
    }

   private:
    std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

// A stream, and the memory of a chunk of queries. The device's context is current in all calls.
class Stream {
   public:
    Stream(const CudaDriver &driver, const gkl_shim_mem_cuda_kernels &kernels);
    ~Stream();
    Stream(const Stream &) = delete;

    const CudaDriver &driver;
    const gkl_shim_mem_cuda_kernels &kernels;
    void *const stream;

    // Launches enough blocks for this many threads.
    void launch(void *kernel, int64_t threads, void **parameters) const;

    Sender sender;
    DeviceText queries;
    // Of the matches: how many there are, their places, and the matches before and after they are
    // put in order.
    gpu::KeptMemory<uint64_t> total, places, unordered, ordered;
    gpu::KeptMemory<void *> fetched;
};

// The index of a page in device memory.
class DevicePage {
   public:
    explicit DevicePage(const CudaDriver &driver) : driver_(driver) {}
    ~DevicePage();
    DevicePage(const DevicePage &) = delete;

    // Indexes the positions [first, last) of the reference for matches of this length or longer,
    // unless they are indexed already.
    void build(Stream *stream, const Index &index, int64_t first, int64_t last, int64_t min_length,
               int threads);

    // The most letters of a page: positions, which count from a place before it, have 32 bits.
    static int64_t most_letters(const Seeds &seeds);

    const DeviceText &reference() const { return reference_; }
    const uint32_t *starts() const { return reinterpret_cast<uint32_t *>(starts_.address()); }
    const uint32_t *positions() const { return reinterpret_cast<uint32_t *>(positions_.address()); }

   private:
    const CudaDriver &driver_;
    int64_t index_ = -1, first_ = 0, last_ = 0;
    int64_t after_ = 0;  // letters after the page that were sent with it
    DeviceText reference_;
    gpu::KeptMemory<uint64_t> starts_, positions_, sums_;
};

// Matches as a device found them, in the order of their positions in the queries.
struct FoundMatches {
    const Found *matches;
    int64_t count;
    // Where the parts of the texts on the device begin, and where they end if the texts go on
    // there. A match that ends there may go on, too.
    int64_t reference_origin, query_origin, reference_cut, query_cut;

    // The first match that starts at a position of the queries or after it.
    int64_t from(int64_t position) const;
    // Converts the matches [first, last), which become sorted.
    void convert(int64_t first, int64_t last, const Text &reference, const Text &queries,
                 Match *out) const;
};

// What part of the queries to search.
struct Chunk {
    const Text &queries;
    int64_t begin, end;
};

// Finds the matches that start in a chunk. Calls collect(begin, end, found) with those of each part
// of it, one part after the other. A part has at most `most` matches, or one position. The matches
// are valid during the call. Adds the time to `times`.
void find_on_device(
    Stream *stream, const DevicePage &page, const Index &index, const Chunk &chunk,
    int64_t min_length, int64_t most, int threads, StepTimes *times,
    const std::function<void(int64_t begin, int64_t end, const FoundMatches &found)> &collect);

}  // namespace mem
}  // namespace gkl_shim

#include "mem/cuda/searcher.h"

#include <algorithm>
#include <chrono>

namespace gkl_shim {
namespace mem {
namespace {

// More blocks than this only repeat their loop.
const int64_t kMostBlocks = int64_t(1) << 20;
// Letters after a part that are sent with it. A match that is longer is extended on the host.
const int64_t kAfter = int64_t(1) << 12;

int64_t now() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

// The first multiple of `step` from a position on, and how many there are before `last`.
struct Steps {
    int64_t first, count;
};
Steps steps_in(int64_t begin, int64_t last, int64_t step) {
    const int64_t first = (begin + step - 1) / step * step;
    return {first, std::max<int64_t>((last - first + step - 1) / step, 0)};
}

// Makes each of the values the sum of all up to it. `sums` is scratch memory.
void scan(const Stream &stream, uint64_t values, int64_t count, uint64_t sums) {
    const int64_t tiles = (count + kScanned - 1) / kScanned;
    if (tiles > 1) {
        void *parameters[] = {&values, &count, &sums};
        stream.launch(stream.kernels.sum_values, tiles * kWarp, parameters);
        scan(stream, sums, tiles, sums + uint64_t(tiles) * 4);
    }
    void *parameters[] = {&values, &count, &sums};
    stream.launch(stream.kernels.scan_values, tiles * kWarp, parameters);
}

}  // namespace

Stream::Stream(const CudaDriver &given_driver, const gkl_shim_mem_cuda_kernels &given_kernels)
    : driver(given_driver), kernels(given_kernels), stream(driver.stream()) {}

Stream::~Stream() {
    queries.free(driver);
    counts.free(driver);
    matches.free(driver);
    driver.free_stream(stream);
}

void Stream::launch(void *kernel, int64_t threads, void **parameters) const {
    const int64_t blocks = std::clamp<int64_t>((threads + kThreads - 1) / kThreads, 1, kMostBlocks);
    driver.launch(kernel, int32_t(blocks), 1, kThreads, 0, stream, parameters);
}

DevicePage::~DevicePage() {
    reference_.free(driver_);
    starts_.free(driver_);
    positions_.free(driver_);
    sums_.free(driver_);
}

void DevicePage::build(const Stream &stream, const Index &index, int64_t first, int64_t last) {
    if (index.number() == index_ && first == first_ && last == last_) return;
    index_ = -1;
    const Seeds &seeds = index.seeds();
    const Text &text = index.text();
    reference_.send(driver_, stream.stream, text, first, last, seeds.period() + kAfter,
                    std::max(index.settings().min_length, kAfter) + kAfter, kReferenceEnd);
    const Steps steps =
        steps_in(first, std::min(last, text.size() - seeds.letters + 1), seeds.reference_step);
    const int64_t buckets = seeds.buckets() + 1;
    starts_.grow(driver_, stream.stream, buckets * 4);
    positions_.grow(driver_, stream.stream, std::max<int64_t>(steps.count, 1) * 4);
    // Each level of the scan needs a thousandth of the one before.
    sums_.grow(driver_, stream.stream, (buckets / kScanned + 8) * 8);
    driver_.fill(starts_.address(), 0, buckets * 4, stream.stream);
    SeedWork work = {seeds,
                     reference_.view(),
                     steps.first - reference_.origin(),
                     steps.count,
                     reinterpret_cast<uint32_t *>(starts_.address()),
                     reinterpret_cast<uint32_t *>(positions_.address())};
    void *parameters[] = {&work};
    stream.launch(stream.kernels.count_seeds, steps.count, parameters);
    scan(stream, starts_.address(), buckets, sums_.address());
    stream.launch(stream.kernels.fill_seeds, steps.count, parameters);
    driver_.wait_for_stream(stream.stream);
    index_ = index.number();
    first_ = first;
    last_ = last;
}

void find_on_device(Stream *stream, const DevicePage &page, const Index &index, const Text &queries,
                    int64_t min_length, int64_t first, int64_t last, int64_t most_bytes,
                    std::vector<Match> *found, StepTimes *times) {
    const CudaDriver &driver = stream->driver;
    int64_t begun = now();
    Seeds seeds = index.seeds();
    seeds.query_step = query_step(seeds, min_length);
    const Steps steps =
        steps_in(first, std::min(last, queries.size() - seeds.letters + 1), seeds.query_step);
    if (steps.count == 0) return;
    stream->queries.send(driver, stream->stream, queries, first, last, seeds.period() + kAfter,
                         std::max(min_length, kAfter) + kAfter, kQueryEnd);
    MatchWork work = {seeds,
                      min_length,
                      page.reference().view(),
                      stream->queries.view(),
                      page.starts(),
                      page.positions(),
                      steps.first - stream->queries.origin(),
                      steps.count};
    const int64_t tiles = (steps.count + kWarp - 1) / kWarp;
    stream->counts.grow(driver, stream->stream, tiles * 8);
    uint64_t counts = stream->counts.address();
    void *counting[] = {&work, &counts};
    stream->launch(stream->kernels.count_matches, tiles * kWarp, counting);
    std::vector<uint64_t> next(static_cast<size_t>(tiles));
    driver.fetch(next.data(), counts, tiles * 8, stream->stream);
    driver.wait_for_stream(stream->stream);
    times->match += now() - begun;

    begun = now();
    const int64_t most = std::max<int64_t>(most_bytes / int64_t(sizeof(Found)), 1);
    Buffer<Found> fetched;
    for (int64_t tile = 0; tile < tiles;) {
        // As many tiles as fit, and at least one.
        int64_t end = tile, count = 0;
        while (end < tiles && (end == tile || count + int64_t(next[size_t(end)]) <= most)) {
            const int64_t of_tile = int64_t(next[size_t(end)]);
            next[size_t(end++)] = uint64_t(count);
            count += of_tile;
        }
        if (count > 0) {
            stream->matches.grow(driver, stream->stream, count * int64_t(sizeof(Found)));
            driver.send(counts + uint64_t(tile) * 8, &next[size_t(tile)], (end - tile) * 8,
                        stream->stream);
            uint64_t matches = stream->matches.address();
            void *filling[] = {&work, &tile, &end, &counts, &matches};
            stream->launch(stream->kernels.fill_matches, (end - tile) * kWarp, filling);
            if (fetched.size() < count) fetched = Buffer<Found>(count);
            driver.fetch(fetched.data(), matches, count * int64_t(sizeof(Found)), stream->stream);
            driver.wait_for_stream(stream->stream);
        }
        const DeviceText &reference = page.reference(), &query = stream->queries;
        for (int64_t k = 0; k < count; k++) {
            const Found &each = fetched[k];
            Match match = {reference.origin() + each.reference, query.origin() + each.query,
                           each.length, 0};
            // It may go on behind the letters on the device.
            const bool cut =
                (reference.is_cut() && each.reference + each.length == reference.view().size) ||
                (query.is_cut() && each.query + each.length == query.view().size);
            if (cut)
                match.length += equal_from(index.text().view().letters + match.reference_end(),
                                           queries.view().letters + match.query_end());
            found->push_back(match);
        }
        tile = end;
    }
    times->expand += now() - begun;
}

}  // namespace mem
}  // namespace gkl_shim

#include "mem/cuda/searcher.h"

#include <algorithm>

namespace gkl_shim {
namespace mem {
namespace {

// More blocks than this only repeat their loop.
const int64_t kMostBlocks = int64_t(1) << 20;
// Letters before and after a part that are sent with it, beside those that a match of the least
// length needs. A longer match is extended on the host.
const int64_t kMargin = int64_t(1) << 12;

// The letters before a part in which a match may start, and those after it that tell whether a
// match is long enough.
int64_t letters_before(const Seeds &seeds) { return seeds.period() + kMargin; }
int64_t letters_after(int64_t min_length) {
    // More than a text ever has, but few enough to add to a position.
    return std::clamp(min_length, kMargin, INT64_MAX / 4) + kMargin;
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
    : driver(given_driver),
      kernels(given_kernels),
      stream(driver.stream()),
      sender(driver, stream) {}

Stream::~Stream() {
    try {
        driver.wait_for_stream(stream);
    } catch (const CudaFailure &) {
        // A device that has failed does nothing more.
    }
    queries.free(driver);
    for (auto *memory : {&total, &places, &unordered, &ordered}) memory->free(driver);
    fetched.free(driver);
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

int64_t DevicePage::most_letters(const Seeds &seeds) {
    return kLongestPage - letters_before(seeds);
}

void DevicePage::build(Stream *stream, const Index &index, int64_t first, int64_t last,
                       int64_t min_length, int threads) {
    const int64_t after = letters_after(min_length);
    if (index.number() == index_ && first == first_ && last == last_ &&
        (after <= after_ || !reference_.is_cut()))
        return;
    index_ = -1;
    const Seeds &seeds = index.seeds();
    const Text &text = index.text();
    reference_.send(driver_, stream->stream, &stream->sender, text, first, last,
                    letters_before(seeds), after, kReferenceEnd, threads);
    const Steps steps =
        steps_in(first, std::min(last, text.size() - seeds.letters + 1), seeds.reference_step);
    const int64_t buckets = seeds.buckets() + 1;
    starts_.grow(driver_, stream->stream, buckets * 4);
    positions_.grow(driver_, stream->stream, std::max<int64_t>(steps.count, 1) * 4);
    // Each level of the scan needs a thousandth of the one before.
    sums_.grow(driver_, stream->stream, (buckets / kScanned + 8) * 8);
    driver_.fill(starts_.address(), 0, buckets * 4, stream->stream);
    SeedWork work = {seeds,
                     reference_.view(),
                     steps.first - reference_.origin(),
                     steps.count,
                     reinterpret_cast<uint32_t *>(starts_.address()),
                     reinterpret_cast<uint32_t *>(positions_.address())};
    void *parameters[] = {&work};
    stream->launch(stream->kernels.count_seeds, steps.count, parameters);
    scan(*stream, starts_.address(), buckets, sums_.address());
    stream->launch(stream->kernels.fill_seeds, steps.count, parameters);
    driver_.wait_for_stream(stream->stream);
    index_ = index.number();
    first_ = first;
    last_ = last;
    after_ = after;
}

int64_t FoundMatches::from(int64_t position) const {
    const auto before = [this](const Found &match, int64_t limit) {
        return query_origin + match.query < limit;
    };
    return std::lower_bound(matches, matches + count, position, before) - matches;
}

void FoundMatches::convert(int64_t first, int64_t last, const Text &reference, const Text &queries,
                           Match *out) const {
    for (int64_t k = first; k < last; k++) {
        const Found &each = matches[k];
        Match match = {reference_origin + each.reference, query_origin + each.query, each.length,
                       0};
        if (match.reference_end() == reference_cut || match.query_end() == query_cut)
            match.length += equal_from(reference.view().letters + match.reference_end(),
                                       queries.view().letters + match.query_end());
        out[k - first] = match;
    }
    sort_matches(out, out + (last - first));
}

void find_on_device(
    Stream *stream, const DevicePage &page, const Index &index, const Chunk &chunk,
    int64_t min_length, int64_t most, int threads, StepTimes *times,
    const std::function<void(int64_t begin, int64_t end, const FoundMatches &found)> &collect) {
    const CudaDriver &driver = stream->driver;
    Stopwatch watch;
    Seeds seeds = index.seeds();
    seeds.query_step = query_step(seeds, min_length);
    const DeviceText &reference = page.reference(), &queries = stream->queries;
    stream->queries.send(driver, stream->stream, &stream->sender, chunk.queries, chunk.begin,
                         chunk.end, letters_before(seeds), letters_after(min_length), kQueryEnd,
                         threads);
    // A text that is not cut has no match that ends at -1.
    const auto cut = [](const DeviceText &text) {
        return text.is_cut() ? text.origin() + text.view().size : -1;
    };
    FoundMatches found = {nullptr,        0,           reference.origin(), queries.origin(),
                          cut(reference), cut(queries)};
    stream->total.grow(driver, stream->stream, 8);
    int64_t size = chunk.end - chunk.begin;
    for (int64_t begin = chunk.begin; begin < chunk.end;) {
        const int64_t end = std::min(begin + size, chunk.end);
        // The first seed of a match starts less than a period after the match.
        const Steps steps = steps_in(
            begin, std::min(end + seeds.period() - 1, chunk.queries.size() - seeds.letters + 1),
            seeds.query_step);
        const int64_t origin = queries.origin();
        MatchWork work = {seeds,          min_length,       reference.view(),     queries.view(),
                          page.starts(),  page.positions(), steps.first - origin, steps.count,
                          begin - origin, end - origin};
        const int64_t tiles = (steps.count + kTile - 1) / kTile;
        // The last place is where all matches end.
        const int64_t positions = end - begin + 1;
        const int64_t sums = (positions + 63) / 64 * 64;
        stream->places.grow(driver, stream->stream, sums * 4 + (positions / kScanned + 8) * 8);
        uint64_t places = stream->places.address(), total = stream->total.address();
        stream->fetched.grow(driver, stream->stream, 8);
        driver.fill(places, 0, positions * 4, stream->stream);
        driver.fill(total, 0, 8, stream->stream);
        void *counting[] = {&work, &places, &total};
        if (tiles > 0) stream->launch(stream->kernels.count_matches, tiles * kWarp, counting);
        driver.fetch(stream->fetched.address(), total, 8, stream->stream);
        driver.wait_for_stream(stream->stream);
        found.count = *static_cast<const int64_t *>(stream->fetched.address());
        watch.add_to(&times->match);
        if (found.count > most && end - begin > 1) {
            size = (end - begin) / 2;
            continue;
        }
        if (found.count > 0) {
            const int64_t bytes = found.count * int64_t(sizeof(Found));
            stream->unordered.grow(driver, stream->stream, bytes);
            stream->ordered.grow(driver, stream->stream, bytes);
            stream->fetched.grow(driver, stream->stream, bytes);
            uint64_t unordered = stream->unordered.address(), ordered = stream->ordered.address();
            scan(*stream, places, positions, places + uint64_t(sums) * 4);
            void *filling[] = {&work, &places, &unordered};
            stream->launch(stream->kernels.fill_matches, tiles * kWarp, filling);
            void *ordering[] = {&places, &work.begin, &unordered, &found.count, &ordered};
            stream->launch(stream->kernels.order_matches, found.count, ordering);
            driver.fetch(stream->fetched.address(), ordered, bytes, stream->stream);
            driver.wait_for_stream(stream->stream);
            found.matches = static_cast<const Found *>(stream->fetched.address());
        }
        watch.add_to(&times->expand);
        collect(begin, end, found);
        watch.add_to(&times->collect);
        begin = end;
        size *= 2;
    }
}

}  // namespace mem
}  // namespace gkl_shim

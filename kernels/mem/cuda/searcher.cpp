#include "mem/cuda/searcher.h"

#include <algorithm>

namespace gkl_shim::mem {
namespace {

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
    const int64_t tiles = (count + kScanTile - 1) / kScanTile;
    if (tiles > 1) {
        void *parameters[] = {&values, &count, &sums};
        stream.launch(stream.kernels.sum_values, tiles * kWarp, parameters);
        scan(stream, sums, tiles, sums + uint64_t(tiles) * 4);
    }
    void *parameters[] = {&values, &count, &sums};
    stream.launch(stream.kernels.scan_values, tiles * kWarp, parameters);
}

// A bucket's number, shifted right by this, is the number of its part of the table.
int32_t shift_of(const Seeds &seeds, int64_t count) {
    const int64_t parts = std::clamp<int64_t>(count / kSeedsOfPart, 1, kMaxParts);
    int32_t shift = 0;
    while ((seeds.buckets() - 1) >> shift >= parts) shift++;
    return shift;
}

int64_t tiles_of(const MatchWork &work) { return (work.count + kTile - 1) / kTile; }

// Places of the matches of each position, rounded up. The last one used is where all matches end.
int64_t places_of(const MatchWork &work) { return (work.end - work.begin + 64) / 64 * 64; }

}  // namespace

int64_t DevicePage::max_letters(const Seeds &seeds) {
    return kMaxPageLetters - letters_before(seeds);
}

void DevicePage::build(Stream *stream, const Index &index, const Seeds &seeds, int64_t first,
                       int64_t last, int64_t min_length, int threads) {
    const int64_t after = letters_after(min_length);
    if (index.number() == index_ && first == first_ && last == last_ &&
        (after <= after_ || reference_.cut() < 0))
        return;
    index_ = -1;
    const Reference &reference = index.reference();
    reference_.set_part({first, last}, reference.starts(), letters_before(seeds), after);
    reference_.make(stream, reference.source(), threads);
    const Steps steps =
        steps_in(first, std::min(last, reference.size() - seeds.letters + 1), seeds.reference_step);
    const int64_t seeds_room = std::max<int64_t>(steps.count, 1);
    starts_.grow(driver_, stream->get(), (seeds.buckets() + 1) * 4);
    positions_.grow(driver_, stream->get(), seeds_room * 4);
    divided_.grow(driver_, stream->get(), seeds_room * int64_t(sizeof(PageSeed)));
    // The sums of the scan come after the parts.
    part_starts_.grow(driver_, stream->get(), 2 * (kMaxParts + 1) * 4);
    SeedWork work = {};
    work.seeds = seeds;
    work.reference = reference_.view();
    work.first = steps.first - reference_.origin();
    work.count = steps.count;
    work.shift = shift_of(seeds, steps.count);
    work.parts = int32_t((seeds.buckets() - 1) >> work.shift) + 1;
    work.part_starts = reinterpret_cast<uint32_t *>(part_starts_.address());
    work.divided = reinterpret_cast<PageSeed *>(divided_.address());
    work.starts = reinterpret_cast<uint32_t *>(starts_.address());
    work.positions = reinterpret_cast<uint32_t *>(positions_.address());
    const int64_t ends = work.parts + 1;
    driver_.fill(part_starts_.address(), 0, ends * 4, stream->get());
    void *parameters[] = {&work};
    const gkl_shim_mem_cuda_kernels &kernels = stream->kernels;
    const int64_t slices = (steps.count + kIndexSlice - 1) / kIndexSlice;
    if (slices > 0) {
        stream->launch_blocks(kernels.count_parts, slices, kIndexThreads, work.parts, parameters);
        scan(*stream, part_starts_.address(), ends, part_starts_.address() + uint64_t(ends) * 4);
        stream->launch_blocks(kernels.divide_seeds, slices, kIndexThreads, work.parts, parameters);
    }
    stream->launch_blocks(kernels.sort_parts, work.sections(), kIndexThreads, kSortWords,
                          parameters);
    driver_.wait_for_stream(stream->get());
    index_ = index.number();
    first_ = first;
    last_ = last;
    after_ = after;
}

void Searcher::set_chunk(const Chunk &chunk, const SequenceStarts &starts,
                         const ChunkSettings &settings) {
    chunk_ = chunk;
    queries_.set_part(chunk, starts, letters_before(settings.seeds),
                      letters_after(settings.min_length));
}

void Searcher::find(
    const DevicePage &page, const TextSource &strand, const ChunkSettings &settings,
    const std::function<void(int64_t begin, int64_t end, const FoundMatches &found)> &collect) {
    const Seeds &seeds = settings.seeds;
    queries_.make(&stream, strand, settings.threads);
    const DeviceText &reference = page.reference();
    const int64_t origin = queries_.origin();
    FoundMatches found = {nullptr, 0, reference.origin(), origin, reference.cut(), queries_.cut()};
    int64_t size = chunk_.end - chunk_.begin;
    for (int64_t begin = chunk_.begin; begin < chunk_.end;) {
        const int64_t end = std::min(begin + size, chunk_.end);
        // The first seed of a match starts less than a period after the match.
        const Steps steps =
            steps_in(begin, std::min(end + seeds.period() - 1, queries_.end() - seeds.letters + 1),
                     seeds.query_step);
        MatchWork work = {
            seeds,          settings.min_length, reference.view(),     queries_.view(),
            page.starts(),  page.positions(),    steps.first - origin, steps.count,
            begin - origin, end - origin};
        found.count = count(&work);
        if (found.count > settings.max_matches && end - begin > 1) {
            size = (end - begin) / 2;
            continue;
        }
        if (found.count > 0) found.matches = fetch(&work, found.count);
        collect(begin, end, found);
        begin = end;
        size *= 2;
    }
}

int64_t Searcher::count(MatchWork *work) {
    const CudaDriver &driver = stream.driver;
    const int64_t places = places_of(*work);
    places_.grow(driver, stream.get(), places * 4 + (places / kScanTile + 8) * 8);
    total_.grow(driver, stream.get(), 8);
    fetched_.grow(driver, stream.get(), 8);
    uint64_t counts = places_.address(), total = total_.address(), matches = ordered_.address();
    int64_t room = ordered_.size() / int64_t(sizeof(Found));
    driver.fill(counts, 0, places * 4, stream.get());
    driver.fill(total, 0, 8, stream.get());
    void *parameters[] = {work, &counts, &total, &matches, &room};
    if (work->count > 0)
        stream.launch(stream.kernels.count_matches, tiles_of(*work) * kWarp, parameters);
    driver.fetch(fetched_.address(), total, 8, stream.get());
    driver.wait_for_stream(stream.get());
    return *static_cast<const int64_t *>(fetched_.address());
}

const Found *Searcher::fetch(MatchWork *work, int64_t matches) {
    const CudaDriver &driver = stream.driver;
    const int64_t bytes = matches * int64_t(sizeof(Found)), places = places_of(*work);
    // Otherwise count() wrote only some of them.
    const bool had_room = bytes <= ordered_.size();
    unordered_.grow(driver, stream.get(), bytes);
    ordered_.grow(driver, stream.get(), bytes);
    fetched_.grow(driver, stream.get(), bytes);
    uint64_t ends = places_.address(), unordered = unordered_.address();
    uint64_t ordered = ordered_.address();
    scan(stream, ends, places, ends + uint64_t(places) * 4);
    if (had_room) {
        void *placing[] = {&ordered, &matches, &work->begin, &ends, &unordered};
        stream.launch(stream.kernels.place_matches, matches, placing);
    } else {
        void *filling[] = {work, &ends, &unordered};
        stream.launch(stream.kernels.fill_matches, tiles_of(*work) * kWarp, filling);
    }
    void *ordering[] = {&ends, &work->begin, &unordered, &matches, &ordered};
    stream.launch(stream.kernels.order_matches, matches, ordering);
    driver.fetch(fetched_.address(), ordered, bytes, stream.get());
    driver.wait_for_stream(stream.get());
    return static_cast<const Found *>(fetched_.address());
}

}  // namespace gkl_shim::mem

#include "mem/cuda/searcher.h"

#include <algorithm>

namespace gkl_shim::mem {
namespace {

int64_t tiles_of(const MatchWork &work) { return (work.count + kTile - 1) / kTile; }

// Places of the matches of each position, rounded up. The last one used is where all matches end.
int64_t places_of(const MatchWork &work) { return (work.end - work.begin + 64) / 64 * 64; }

}  // namespace

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
    // Only now, so that queries are sent while the page is indexed.
    page.wait();
    const DeviceText &reference = page.reference();
    const int64_t origin = queries_.origin();
    FoundMatches found = {nullptr, 0, reference.origin(), origin, reference.cut(), queries_.cut()};
    int64_t size = chunk_.end - chunk_.begin;
    for (int64_t begin = chunk_.begin; begin < chunk_.end;) {
        const int64_t end = std::min(begin + size, chunk_.end);
        // The first seed of a match starts less than a period after the match.
        const SeedPositions looked_up = seed_positions(
            begin, std::min(end + seeds.period() - 1, queries_.end() - seeds.letters + 1),
            seeds.query_step);
        MatchWork work = {
            seeds,          settings.min_length, reference.view(),         queries_.view(),
            page.starts(),  page.positions(),    looked_up.first - origin, looked_up.count,
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
    return *fetched_.as<const int64_t>();
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
    stream.scan(ends, places, ends + uint64_t(places) * 4);
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
    return fetched_.as<const Found>();
}

}  // namespace gkl_shim::mem

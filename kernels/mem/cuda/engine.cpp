// The CUDA engine's interface (gkl_shim_internal.h).
//
// The reference is divided into pages, and the queries of both strands into chunks. With several
// pages, each device takes some of them and searches all chunks; with one, the devices share the
// chunks. A device keeps the page that it indexed last for later searches. Several streams of a
// device take chunks in turn, so that kernels, transfers and the work of the host overlap.
#include <algorithm>
#include <atomic>
#include <iterator>
#include <memory>
#include <mutex>
#include <vector>

#include "common/copy.h"
#include "common/error.h"
#include "common/floating_point_mode.h"
#include "common/thread_pool.h"
#include "gkl_shim_internal.h"
#include "gpu/driver.h"
#include "mem/cuda/searcher.h"
#include "mem/handles.h"

namespace gkl_shim {
namespace mem {

const int kStreams = 8;
// Positions of a chunk, about. A multiple of 64.
const int64_t kChunk = int64_t(1) << 22;
// The most matches that a stream fetches together. Pinned memory holds them.
const int64_t kMostFetched = int64_t(1) << 22;
// A reference of fewer letters is indexed by every device.
const int64_t kDividedFrom = int64_t(1) << 25;
const int64_t kLongTime = int64_t(1) << 30;
const int64_t kNanosecondsOfMatch = 10;

struct SearchDevice {
    SearchDevice(const CudaDriver &driver, const gkl_shim_mem_cuda_device &given, int count)
        : number(given.number), context(given.context), kernels(given.kernels), driver_(driver) {
        const CudaContext current(driver, context);
        page = std::make_unique<DevicePage>(driver);
        try {
            for (int k = 0; k < count; k++)
                streams.push_back(std::make_unique<Stream>(driver, kernels));
        } catch (...) {
            streams.clear();  // while the context is current
            throw;
        }
    }
    ~SearchDevice() {
        try {
            const CudaContext current(driver_, context);
            for (auto &stream : streams) stream.reset();
            page.reset();
        } catch (const CudaFailure &) {
            // The device has failed. Its memory goes with the process.
            for (auto &stream : streams) (void)stream.release();
            (void)page.release();
        }
    }

    const int32_t number;
    void *const context;
    const gkl_shim_mem_cuda_kernels kernels;
    std::unique_ptr<DevicePage> page;
    std::vector<std::unique_ptr<Stream>> streams;

   private:
    const CudaDriver &driver_;
};

// Calls work(k) for each k in [0, count) on several threads.
template <class Work>
void in_parallel(int64_t count, int64_t nanoseconds, int threads, Work work) {
    parallel_for(
        count, nanoseconds, threads,
        [](void *context, int64_t k) { (*static_cast<Work *>(context))(k); }, &work);
}

// The matches of a chunk, or of a part of it, from all pages.
struct Piece {
    int64_t begin;
    Buffer<Match> matches;
    Slices slices;  // instead, if not all matches are wanted
};

// One strand of the queries.
struct StrandSearch {
    bool reverse;
    Text text = {};
    std::vector<Piece> pieces = {};
    // Of each query: the number of matches in the same piece that are of earlier queries.
    std::vector<int64_t> starts = {};

    // The first query that begins at a position of the text or after it.
    int64_t query_from(int64_t position) const {
        // The last start is the end of the text.
        const auto &begins = text.starts();
        return std::lower_bound(begins.begin(), begins.end() - 1, position) - begins.begin();
    }

    // Puts the pieces together.
    Strand finish(int kind, int threads) {
        std::sort(pieces.begin(), pieces.end(),
                  [](const Piece &a, const Piece &b) { return a.begin < b.begin; });
        if (kind != kMem) {
            Slices slices;
            for (Piece &piece : pieces)
                std::move(piece.slices.begin(), piece.slices.end(), std::back_inserter(slices));
            return gather(text, kind, slices, threads);
        }
        Strand strand;
        strand.searched = true;
        std::vector<int64_t> before;  // the matches before each piece
        for (Piece &piece : pieces) {
            before.push_back(strand.count());
            strand.append(std::move(piece.matches));
        }
        in_parallel(int64_t(pieces.size()), text.count(), threads, [&](int64_t k) {
            const bool last = size_t(k) + 1 == pieces.size();
            const int64_t end = last ? text.size() : pieces[size_t(k) + 1].begin;
            const int64_t after = query_from(end);
            for (int64_t query = query_from(pieces[size_t(k)].begin); query < after; query++)
                starts[size_t(query)] += before[size_t(k)];
        });
        starts.back() = strand.count();
        strand.starts = std::move(starts);
        return strand;
    }
};

// A search of all strands.
struct DeviceSearch {
    const Index &index;
    const FindSettings &settings;
    const gkl_shim_mem_sequences &queries;
    std::vector<std::unique_ptr<SearchDevice>> &devices;
    std::vector<StrandSearch> strands;
    int64_t first_position, last_position;  // of a strand's text
    int64_t pages, page_letters, chunks, chunk_letters;
    int64_t most_matches;  // that a stream fetches together

    // With several pages, the matches that some of them have in a chunk.
    struct Waiting {
        int64_t pages = 0;
        std::vector<Buffer<Found>> memory = {};
        std::vector<FoundMatches> found = {};
    };

    std::mutex mutex = {};
    std::vector<Waiting> waiting = {};  // by chunk of each strand
    std::atomic<int64_t> next_chunk{0};
    std::atomic<int64_t> match_count{0};
    StepTimes times = {};
    int32_t failed = -1;
    Results results = {};

    int64_t device_count() const { return int64_t(devices.size()); }
    int64_t all_chunks() const { return chunks * int64_t(strands.size()); }
    // Whether a part of a search has enough matches. With several pages, all chunks are needed.
    bool is_full() const { return settings.is_part() && pages == 1 && match_count > settings.most; }
    // The position before which all matches start: no chunk is left out before it.
    int64_t end() const {
        return pages == 1 ? std::min(last_position, first_position + next_chunk * chunk_letters)
                          : last_position;
    }

    void run() {
        waiting.resize(size_t(pages > 1 ? all_chunks() : 0));
        const int64_t used = std::min(device_count(), pages > 1 ? pages : all_chunks());
        // The texts of the queries are prepared while the devices index their first pages.
        const int most = std::max(settings.threads, int(used) + 1);
        in_parallel(used + 1, kLongTime, most, [this](int64_t k) {
            if (k == 0)
                prepare();
            else
                on_device(k - 1, [this, k](SearchDevice &device) {
                    index_page(device, pages > 1 ? k - 1 : 0);
                });
        });
        // The other devices have no page, so they may not take a chunk.
        in_parallel(used, kLongTime, most, [this](int64_t number) {
            on_device(number, [this, number](SearchDevice &device) {
                if (pages == 1) search_page(device, next_chunk);
                for (int64_t page = number; pages > 1 && page < pages; page += device_count()) {
                    index_page(device, page);
                    std::atomic<int64_t> next{0};
                    search_page(device, next);
                }
            });
        });
    }

    void prepare() {
        results = results_of(queries);
        for (StrandSearch &strand : strands) {
            strand.text = text_of(queries, strand.reverse, index.settings().nucleotides_only,
                                  settings.threads);
            strand.starts.resize(size_t(queries.count + 1));
        }
    }

    template <class Work>
    void on_device(int64_t number, const Work &work) {
        SearchDevice &device = *devices[size_t(number)];
        try {
            work(device);
        } catch (const CudaFailure &) {
            const std::lock_guard<std::mutex> lock(mutex);
            failed = device.number;
            throw;
        }
    }

    void index_page(SearchDevice &device, int64_t page) {
        Stopwatch watch;
        const CudaContext current(device.streams[0]->driver, device.context);
        const int64_t begin = page * page_letters;
        device.page->build(device.streams[0].get(), index, begin,
                           std::min(begin + page_letters, index.text().size()), settings.min_length,
                           settings.threads);
        const std::lock_guard<std::mutex> lock(mutex);
        watch.add_to(&times.index);
    }

    // Searches the chunks from `next` on in the page that the device has indexed.
    void search_page(SearchDevice &device, std::atomic<int64_t> &next) {
        in_parallel(int64_t(device.streams.size()), kLongTime, settings.threads, [&](int64_t k) {
            Stream &stream = *device.streams[size_t(k)];
            const CudaContext current(stream.driver, device.context);
            StepTimes spent;
            for (int64_t number; !is_full() && (number = next++) < all_chunks();)
                search_chunk(device, stream, number, &spent);
            const std::lock_guard<std::mutex> lock(mutex);
            times.match += spent.match;
            times.expand += spent.expand;
            times.collect += spent.collect;
        });
    }

    void search_chunk(SearchDevice &device, Stream &stream, int64_t number, StepTimes *spent) {
        StrandSearch &strand = strands[size_t(number / chunks)];
        const int64_t begin = first_position + number % chunks * chunk_letters;
        const Chunk chunk = {strand.text, begin, std::min(begin + chunk_letters, last_position)};
        Waiting mine;
        find_on_device(&stream, *device.page, index, chunk, settings.min_length, most_matches,
                       settings.threads, spent,
                       [&](int64_t from, int64_t to, const FoundMatches &found) {
                           if (pages == 1)
                               collect(strand, from, to, {found});
                           else
                               keep(&mine, found);
                       });
        if (pages > 1) {
            Stopwatch watch;
            hand_in(strand, chunk, number, std::move(mine));
            watch.add_to(&spent->collect);
        }
    }

    // Copies matches, whose memory the stream uses again.
    void keep(Waiting *mine, FoundMatches found) const {
        if (found.count == 0) return;
        mine->memory.emplace_back(found.count);
        Found *const copy = mine->memory.back().data();
        copy_all({{copy, found.matches, found.count * int64_t(sizeof(Found))}}, settings.threads);
        found.matches = copy;
        mine->found.push_back(found);
    }

    // Takes one page's matches of a chunk. The last page's call collects those of all pages.
    void hand_in(StrandSearch &strand, const Chunk &chunk, int64_t number, Waiting mine) {
        Waiting all;
        {
            const std::lock_guard<std::mutex> lock(mutex);
            Waiting &waits = waiting[size_t(number)];
            std::move(mine.memory.begin(), mine.memory.end(), std::back_inserter(waits.memory));
            waits.found.insert(waits.found.end(), mine.found.begin(), mine.found.end());
            if (++waits.pages < pages) return;
            all = std::move(waits);
        }
        collect(strand, chunk.begin, chunk.end, all.found);
    }

    // Makes the matches that start in [begin, end) of a strand a piece of the result.
    void collect(StrandSearch &strand, int64_t begin, int64_t end,
                 const std::vector<FoundMatches> &found) {
        // Each task takes a slice.
        const int64_t slices = (end - begin + kSlice - 1) / kSlice;
        const auto position = [&](int64_t slice) { return std::min(begin + slice * kSlice, end); };
        std::vector<int64_t> places(size_t(slices + 1));  // of each slice's matches in the piece
        std::vector<std::vector<int64_t>> bounds;         // and in each of `found`
        for (const FoundMatches &each : found) {
            bounds.emplace_back();
            for (int64_t slice = 0; slice <= slices; slice++) {
                bounds.back().push_back(each.from(position(slice)));
                places[size_t(slice)] += bounds.back().back();
            }
        }
        match_count += places.back();
        Piece piece = {begin, {}, {}};
        const bool all = settings.kind == kMem;
        if (all)
            piece.matches = Buffer<Match>(places.back());
        else
            piece.slices.resize(size_t(slices));
        in_parallel(slices, places.back() * kNanosecondsOfMatch, settings.threads,
                    [&](int64_t slice) {
                        const int64_t place = places[size_t(slice)],
                                      count = places[size_t(slice + 1)] - place;
                        if (!all) piece.slices[size_t(slice)].resize(size_t(count));
                        Match *const matches =
                            all ? piece.matches.data() + place : piece.slices[size_t(slice)].data();
                        Match *at = matches;
                        for (size_t k = 0; k < found.size(); k++) {
                            const int64_t first = bounds[k][size_t(slice)],
                                          last = bounds[k][size_t(slice + 1)];
                            found[k].convert(first, last, index.text(), strand.text, at);
                            merge_matches(matches, at, at + (last - first));
                            at += last - first;
                        }
                        if (all)
                            set_starts(strand.text, strand.query_from(position(slice)),
                                       strand.query_from(position(slice + 1)), matches, count,
                                       place, strand.starts.data());
                        else
                            tidy_slice(settings.kind, piece.slices[size_t(slice)]);
                    });
        const std::lock_guard<std::mutex> lock(mutex);
        strand.pieces.push_back(std::move(piece));
    }
};

}  // namespace mem
}  // namespace gkl_shim

using namespace gkl_shim;
using namespace gkl_shim::mem;

struct gkl_shim_mem_cuda {
   public:
    explicit gkl_shim_mem_cuda(const gkl_shim_mem_cuda_options &options)
        : driver_(*options.driver),
          page_letters_(options.page_letters),
          chunk_letters_(options.chunk_letters),
          memory_bytes_(options.memory_bytes),
          streams_(options.streams > 0 ? options.streams : kStreams) {}

    void open(const gkl_shim_mem_cuda_device &device) {
        devices_.push_back(std::make_unique<SearchDevice>(driver_, device, streams_));
    }

    Results find(const Index &index, const FindSettings &settings,
                 const gkl_shim_mem_sequences &queries, gkl_shim_mem_cuda_call *call) {
        const std::lock_guard<std::mutex> lock(mutex_);
        const int64_t count = int64_t(devices_.size());
        const int64_t size = std::max<int64_t>(index.text().size(), 1);
        const int64_t text_size = queries.offsets[queries.count] + queries.count;
        const int64_t first = settings.first, last = settings.is_part() ? settings.last : text_size;
        const int64_t letters = std::max<int64_t>(last - first, 1);
        std::vector<StrandSearch> strands;
        for (const bool reverse : {false, true})
            if (settings.wants(reverse)) strands.push_back({reverse});
        int64_t page = page_letters_ > 0 ? page_letters_ : largest_page(index.seeds());
        // With a page for each device, the index is built once, and all devices look up all
        // queries. Otherwise all devices build the whole index. A letter takes about as long in
        // either.
        const int64_t all_letters = text_size * int64_t(strands.size());
        if (page_letters_ == 0 && size >= kDividedFrom &&
            size > std::max(all_letters, index.settings().query_letters))
            page = std::min(page, (size + count - 1) / count);
        page = std::min({page, size, DevicePage::most_letters(index.seeds())});
        int64_t chunk = chunk_letters_;
        if (chunk == 0) {
            // Two for each stream at least.
            const int64_t streams = streams_ * (page == size ? count : 1);
            const int64_t each = letters * int64_t(strands.size()) / (2 * streams);
            chunk = std::min(kChunk, (each + 64) / 64 * 64);
        }
        // A match takes memory before and after it is put in order.
        const int64_t most = memory_bytes_ / (4 * streams_ * 2 * int64_t(sizeof(Found)));
        DeviceSearch search = {index,
                               settings,
                               queries,
                               devices_,
                               std::move(strands),
                               first,
                               last,
                               (size + page - 1) / page,
                               page,
                               (letters + chunk - 1) / chunk,
                               chunk,
                               std::clamp<int64_t>(most, 1, kMostFetched)};
        try {
            search.run();
        } catch (const CudaFailure &) {
            call->failed = search.failed;
            throw;
        }
        for (StrandSearch &strand : search.strands)
            search.results.strands[strand.reverse] = strand.finish(settings.kind, settings.threads);
        search.results.end = search.end();
        call->pages = search.pages;
        call->page_letters = page;
        call->index_seconds = search.times.index;
        call->match_seconds = search.times.match;
        call->expand_seconds = search.times.expand;
        call->collect_seconds = search.times.collect;
        return std::move(search.results);
    }

   private:
    // The most letters whose index takes half of the memory.
    int64_t largest_page(const Seeds &seeds) const {
        const int64_t left = memory_bytes_ / 2 - 4 * seeds.buckets();
        // A letter takes 11/8 bytes, and a seed four.
        const double bytes = 1.375 + 4.0 / seeds.reference_step;
        return std::max<int64_t>(int64_t(double(left) / bytes), 1 << 16);
    }

    const CudaDriver driver_;
    const int64_t page_letters_, chunk_letters_, memory_bytes_;
    const int streams_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<SearchDevice>> devices_;
};

extern "C" gkl_shim_status gkl_shim_mem_cuda_open(const gkl_shim_mem_cuda_options *options,
                                                  gkl_shim_mem_cuda **engine) {
    *engine = nullptr;
    return guarded([&] {
        auto made = std::make_unique<gkl_shim_mem_cuda>(*options);
        for (int32_t k = 0; k < options->device_count; k++)
            check(guarded_on_device(options->devices[k].number, [&] {
                made->open(options->devices[k]);
                return GKL_SHIM_OK;
            }));
        *engine = made.release();
        return GKL_SHIM_OK;
    });
}

extern "C" gkl_shim_status gkl_shim_mem_cuda_find(gkl_shim_mem_cuda *engine,
                                                  const gkl_shim_mem *index,
                                                  const gkl_shim_mem_sequences *queries,
                                                  const gkl_shim_mem_search *search,
                                                  gkl_shim_mem_cuda_call *call,
                                                  gkl_shim_mem_matches **matches) {
    *matches = nullptr;
    *call = {};
    call->failed = -1;
    if (!check_search(index, queries, search)) return GKL_SHIM_EINVAL;
    return guarded([&] {
        try {
            const FindSettings settings = find_settings(index, *search);
            *matches = new gkl_shim_mem_matches{
                index, engine->find(index->index, settings, *queries, call)};
            return GKL_SHIM_OK;
        } catch (const CudaFailure &failure) {
            fail("GPU %d has failed: %s", int(call->failed), failure.reason);
            return GKL_SHIM_EUNAVAILABLE;
        }
    });
}

extern "C" void gkl_shim_mem_cuda_close(gkl_shim_mem_cuda *engine) {
    const FloatingPointMode mode;
    delete engine;
}

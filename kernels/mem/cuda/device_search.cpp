#include "mem/cuda/device_search.h"

#include <iterator>
#include <utility>

#include "common/memory/copy.h"
#include "common/thread_pool.h"

namespace gkl_shim::mem {

const int64_t kLongTime = int64_t(1) << 30;
const int64_t kNanosecondsOfMatch = 10;

Strand DeviceStrandSearch::finish(int kind, int threads) {
    std::sort(pieces.begin(), pieces.end(),
              [](const Piece &a, const Piece &b) { return a.begin < b.begin; });
    if (kind != GKL_SHIM_MEM_ALL) {
        Slices slices;
        for (Piece &piece : pieces)
            std::move(piece.slices.begin(), piece.slices.end(), std::back_inserter(slices));
        return gather(text.starts(), kind, slices, threads);
    }
    Strand strand;
    strand.searched = true;
    for (Piece &piece : pieces) strand.append(std::move(piece.matches));
    return strand;
}

void DeviceSearch::run() {
    chunk_matches.resize(pages > 1 ? chunks.size() * strands.size() : 0);
    const int64_t used = std::min(device_count(), pages > 1 ? pages : chunk_count());
    const int most = std::max(index.threads(), int(used));
    parallel_for(used, kLongTime, most, [this](int64_t number) {
        on_device(number, [this, number](SearchDevice &device) {
            index_page(device, pages > 1 ? number : 0);
        });
    });
    // The other devices have no page, so they may not take a chunk.
    parallel_for(used, kLongTime, most, [this](int64_t number) {
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

void DeviceSearch::index_page(SearchDevice &device, int64_t page) {
    Stream &stream = device.searchers[0]->stream;
    const CudaContext current(stream.driver, device.device.context);
    const int64_t begin = page * page_letters;
    device.page->build(&stream, index, page_seeds, begin,
                       std::min(begin + page_letters, index.reference().size()),
                       settings.min_length, index.threads());
}

void DeviceSearch::search_page(SearchDevice &device, std::atomic<int64_t> &next) {
    parallel_for(int64_t(device.searchers.size()), kLongTime, index.threads(), [&](int64_t k) {
        Searcher &searcher = *device.searchers[size_t(k)];
        const CudaContext current(searcher.stream.driver, device.device.context);
        for (int64_t number; !is_full() && (number = next++) < chunk_count();)
            search_chunk(device, searcher, number);
    });
}

void DeviceSearch::search_chunk(SearchDevice &device, Searcher &searcher, int64_t number) {
    searcher.set_chunk(chunks[size_t(number)], starts, chunk_settings);
    for (DeviceStrandSearch &strand : strands) {
        ChunkMatches matches;
        searcher.find(*device.page, strand.text, chunk_settings,
                      [&](int64_t from, int64_t to, const FoundMatches &found) {
                          if (pages == 1)
                              collect(strand, from, to, {found});
                          else
                              copy(&matches, found);
                      });
        if (pages > 1) add_page(strand, number, std::move(matches));
    }
}

void DeviceSearch::copy(ChunkMatches *matches, FoundMatches found) const {
    if (found.count == 0) return;
    matches->memory.emplace_back(found.count);
    Found *const memory = matches->memory.back().data();
    copy_all({{memory, found.matches, found.count * int64_t(sizeof(Found))}}, index.threads());
    found.matches = memory;
    matches->found.push_back(found);
}

void DeviceSearch::add_page(DeviceStrandSearch &strand, int64_t number, ChunkMatches matches) {
    const size_t place = size_t(&strand - strands.data()) * chunks.size() + size_t(number);
    ChunkMatches all;
    {
        const std::lock_guard<std::mutex> lock(mutex);
        ChunkMatches &of_chunk = chunk_matches[place];
        std::move(matches.memory.begin(), matches.memory.end(),
                  std::back_inserter(of_chunk.memory));
        of_chunk.found.insert(of_chunk.found.end(), matches.found.begin(), matches.found.end());
        if (++of_chunk.pages < pages) return;
        all = std::move(of_chunk);
    }
    const Chunk &chunk = chunks[size_t(number)];
    collect(strand, chunk.begin, chunk.end, all.found);
}

void DeviceSearch::collect(DeviceStrandSearch &strand, int64_t begin, int64_t end,
                           const std::vector<FoundMatches> &found) {
    // Each task takes a slice.
    const int64_t slices = (end - begin + kSlice - 1) / kSlice;
    const auto position = [&](int64_t slice) { return std::min(begin + slice * kSlice, end); };
    std::vector<int64_t> places(size_t(slices + 1));  // of each slice's matches in the piece
    std::vector<std::vector<int64_t>> bounds;         // and in each of `found`
    for (const FoundMatches &each : found) {
        bounds.emplace_back();
        for (int64_t slice = 0; slice <= slices; slice++) {
            bounds.back().push_back(each.first_from(position(slice)));
            places[size_t(slice)] += bounds.back().back();
        }
    }
    match_count += places.back();
    Piece piece = {begin, {}, {}};
    const bool all = settings.kind == GKL_SHIM_MEM_ALL;
    if (all)
        piece.matches = Buffer<Match>(places.back());
    else
        piece.slices.resize(size_t(slices));
    const TextSource reference = index.reference().source();
    parallel_for(slices, places.back() * kNanosecondsOfMatch, index.threads(), [&](int64_t slice) {
        const int64_t place = places[size_t(slice)], count = places[size_t(slice + 1)] - place;
        if (!all) piece.slices[size_t(slice)].resize(size_t(count));
        Match *const matches =
            all ? piece.matches.data() + place : piece.slices[size_t(slice)].data();
        Match *at = matches;
        for (size_t k = 0; k < found.size(); k++) {
            const int64_t first = bounds[k][size_t(slice)], last = bounds[k][size_t(slice + 1)];
            found[k].convert(first, last, reference, strand.text, at);
            merge_matches(matches, at, at + (last - first));
            at += last - first;
        }
        if (!all) tidy_slice(settings.kind, piece.slices[size_t(slice)]);
    });
    const std::lock_guard<std::mutex> lock(mutex);
    strand.pieces.push_back(std::move(piece));
}

}  // namespace gkl_shim::mem

#include "mem/cpu/engine.h"

#include <algorithm>
#include <atomic>
#include <vector>

#include "common/thread_pool.h"

namespace gkl_shim::mem {
namespace {

const int64_t kNanosecondsOfLookUp = 20;
// Seeds that are looked up together, and candidates that are compared together.
const int kGroupSeeds = 32;
const int kMaxCandidates = 128;
// Where many matches are repeated, they are sifted before they need much memory.
const size_t kSiftFrom = size_t(1) << 20;

// A part of a search is divided into this many slices at most, because the search stops where it
// has found enough matches. If the first slice has too many, slices become smaller by kShrink.
const int64_t kMaxSlices = int64_t(1) << 12;
const int64_t kShrink = 16;

// The positions of a strand that are searched, in slices.
struct StrandSearch {
    bool reverse;
    Text text;
    int64_t begin, end, slice_letters;
    Slices slices;
    std::vector<char> complete;  // of each slice: whether it was searched to its end

    // Starts again with slices of this size.
    void divide(int64_t letters) {
        slice_letters = letters;
        slices = Slices(size_t((end - begin + letters - 1) / letters));
        complete.assign(slices.size(), false);
    }
};

// The search of a strand in a page.
struct PageSearch {
    const TextView reference, queries;
    const Seeds seeds;
    const Page &page;
    const gkl_shim_mem_search &settings;
    StrandSearch &strand;
    const int64_t most;  // matches; 0: no limit
    std::atomic<int64_t> found;
    std::atomic<bool> stopped{false};

    // Searches a slice. One thread of many.
    void find(int64_t slice);

    // Counts matches of all threads.
    void add(size_t matches) {
        if (most > 0 && (found += int64_t(matches)) > most) stopped = true;
    }
};

// The search of a slice in a page.
//
// A seed misses the cache in the table of buckets and in the list of positions, and each of its
// candidates in the reference. So seeds pass three steps in groups, and each step prefetches what
// the next one reads: hash() computes the buckets, look_up() reads where their positions are, and
// collect() makes candidates of them. The candidates are compared when there are many.
class SliceSearch {
   public:
    SliceSearch(PageSearch &search, int64_t begin, int64_t end, std::vector<Match> &matches)
        : search_(search), begin_(begin), end_(end), matches_(matches) {}

    // Adds the matches that start in the slice. Returns false if the search was stopped before.
    bool run() {
        const Seeds &seeds = search_.seeds;
        const int64_t step = seeds.query_step;
        // The first seed of a match starts less than a period after the match.
        const int64_t last =
            std::min(end_ + seeds.period() - 1, search_.queries.size - seeds.letters + 1);
        int64_t at = (begin_ + step - 1) / step * step;
        Group groups[3] = {};
        for (int k = 0, empty = 0; empty < 3 && !search_.stopped; k = (k + 1) % 3) {
            // The middle group is the one before the newest. The next group replaces the oldest.
            Group &newest = groups[k], &middle = groups[(k + 2) % 3], &oldest = groups[(k + 1) % 3];
            collect(oldest);
            newest.at = at;
            newest.count =
                at < last ? int(std::min<int64_t>((last - at + step - 1) / step, kGroupSeeds)) : 0;
            at += step * kGroupSeeds;
            hash(newest);
            look_up(middle);
            empty = newest.count == 0 ? empty + 1 : 0;
        }
        if (search_.stopped) return false;
        compare();
        tidy();
        return true;
    }

   private:
    struct Group {
        int64_t at;  // the first seed's position
        int count;
        int64_t buckets[kGroupSeeds];
        uint32_t from[kGroupSeeds], to[kGroupSeeds];
    };
    struct Candidate {
        int64_t reference, query;
    };

    void hash(Group &group) const {
        const uint32_t *starts = search_.page.starts.data();
        for (int k = 0; k < group.count; k++) {
            const int64_t at = group.at + k * search_.seeds.query_step;
            group.buckets[k] = bucket_at(search_.seeds, search_.queries, at);
            if (group.buckets[k] >= 0) __builtin_prefetch(starts + group.buckets[k]);
        }
    }

    void look_up(Group &group) const {
        const uint32_t *starts = search_.page.starts.data();
        const uint32_t *positions = search_.page.positions.data();
        for (int k = 0; k < group.count; k++) {
            const int64_t bucket = group.buckets[k];
            group.from[k] = bucket < 0 ? 0 : starts[bucket];
            group.to[k] = bucket < 0 ? 0 : starts[bucket + 1];
            __builtin_prefetch(positions + group.from[k]);
        }
    }

    void collect(const Group &group) {
        const uint32_t *positions = search_.page.positions.data();
        for (int k = 0; k < group.count; k++)
            for (uint32_t place = group.from[k]; place < group.to[k]; place++) {
                const int64_t reference = search_.page.first + positions[place];
                __builtin_prefetch(search_.reference.letters + reference);
                candidates_[candidate_count_++] = {reference,
                                                   group.at + k * search_.seeds.query_step};
                if (candidate_count_ < kMaxCandidates) continue;
                compare();
                if (search_.stopped) return;
            }
    }

    void compare() {
        const size_t earlier = matches_.size();
        for (int k = 0; k < candidate_count_; k++) {
            const Candidate &candidate = candidates_[k];
            int64_t before, from;
            if (!is_match(search_.seeds, search_.settings.min_length,
                          search_.reference.letters + candidate.reference,
                          search_.queries.letters + candidate.query, &before, &from))
                continue;
            const int64_t start = candidate.query - before;
            if (start < begin_ || start >= end_) continue;
            matches_.push_back({candidate.reference - before, start, before + from, 0});
        }
        candidate_count_ = 0;
        search_.add(matches_.size() - earlier);
        if (search_.settings.kind != GKL_SHIM_MEM_ALL && matches_.size() > sift_at_) {
            tidy();
            sift_at_ = std::max(kSiftFrom, 2 * matches_.size());
        }
    }

    void tidy() { tidy_slice(search_.settings.kind, matches_); }

    PageSearch &search_;
    const int64_t begin_, end_;
    std::vector<Match> &matches_;
    Candidate candidates_[kMaxCandidates] = {};
    int candidate_count_ = 0;
    size_t sift_at_ = kSiftFrom;
};

void PageSearch::find(int64_t slice) {
    if (stopped) return;
    const int64_t begin = strand.begin + slice * strand.slice_letters;
    const int64_t end = std::min(begin + strand.slice_letters, strand.end);
    SliceSearch search(*this, begin, end, strand.slices[size_t(slice)]);
    strand.complete[size_t(slice)] = search.run();
}

// Searches a strand in a page. If there are too many matches, keeps the first slices alone.
void search_page(const Index &index, const Seeds &seeds, const Page &page,
                 const gkl_shim_mem_search &settings, int64_t most, StrandSearch *strand) {
    int64_t found = 0;  // in earlier pages
    for (const std::vector<Match> &slice : strand->slices) found += int64_t(slice.size());
    std::fill(strand->complete.begin(), strand->complete.end(), char(false));
    PageSearch search = {index.reference().text(),
                         strand->text.view(),
                         seeds,
                         page,
                         settings,
                         *strand,
                         most,
                         {found}};
    parallel_for(int64_t(strand->slices.size()),
                 (strand->end - strand->begin) / seeds.query_step * kNanosecondsOfLookUp,
                 index.threads(), Calls::kSeveral, [&](int64_t slice) { search.find(slice); });
    const auto first = std::find(strand->complete.begin(), strand->complete.end(), char(false));
    strand->slices.resize(size_t(first - strand->complete.begin()));
    strand->complete.resize(strand->slices.size());
}

// Searches strands in all pages.
void search_pages(const Index &index, const Seeds &seeds, const gkl_shim_mem_search &settings,
                  int64_t most, std::vector<StrandSearch> *strands) {
    Page scratch;
    // Both strands are searched in a page before the next one, which may have to be built.
    for (int64_t number = 0; number < index.pages(); number++) {
        const Page &page = index.page(number, &scratch);
        for (StrandSearch &strand : *strands)
            search_page(index, seeds, page, settings, most, &strand);
    }
}

// Searches the first slices of a part of the search: as many as have no more matches than are
// wanted. If the first one has more, slices become smaller, down to one position.
void search_part(const Index &index, const Seeds &seeds, const gkl_shim_mem_search &settings,
                 std::vector<StrandSearch> *strands) {
    StrandSearch &strand = strands->front();
    strand.begin = strand.end = settings.first;
    // Each thread gets some slices.
    int64_t letters = std::clamp<int64_t>((settings.last - settings.first) / 64, 1, kSlice);
    int64_t most = settings.most;
    while (strand.end == settings.first && settings.first < settings.last) {
        strand.end = std::min(settings.last, strand.begin + letters * (most ? kMaxSlices : 1));
        strand.divide(letters);
        search_pages(index, seeds, settings, most, strands);
        strand.end = std::min(strand.end, strand.begin + int64_t(strand.slices.size()) * letters);
        // One position may have more matches than are wanted.
        if (letters == 1) most = 0;
        letters = std::max<int64_t>(letters / kShrink, 1);
    }
}

}  // namespace

Results find_on_cpu(const Index &index, const gkl_shim_mem_search &settings,
                    const gkl_shim_mem_sequences &queries) {
    std::vector<StrandSearch> strands;
    for (const bool reverse : {false, true}) {
        if (!wants(settings, reverse)) continue;
        const TextSource source = source_of(queries, reverse, index.settings().nucleotides_only);
        strands.push_back({reverse, Text(source, index.threads()), 0, source.size(), 0, {}, {}});
        strands.back().divide(kSlice);
    }
    Seeds seeds = index.seeds();
    seeds.query_step = query_step(seeds, settings.min_length);
    if (is_part(settings))
        search_part(index, seeds, settings, &strands);
    else
        search_pages(index, seeds, settings, 0, &strands);
    Results results = results_of(queries, index.threads());
    results.end = strands.back().end;
    for (StrandSearch &strand : strands)
        results.strands[strand.reverse] =
            gather(starts_of(queries), settings.kind, strand.slices, index.threads());
    return results;
}

}  // namespace gkl_shim::mem

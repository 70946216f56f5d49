#include "mem/cpu/engine.h"

#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

#include "common/thread_pool.h"

namespace gkl_shim {
namespace mem {
namespace {

const int64_t kNanosecondsOfLookUp = 20;
const int kTogether = 32;
// Candidates that are compared together.
const int kCandidates = 128;
// Where many matches are repeated, they are sifted before they need much memory.
const size_t kSiftFrom = size_t(1) << 20;

// Of a part of a search, parts of a text that are searched one after another on each thread. The
// searches stop when they have found too many matches.
const int64_t kMostParts = int64_t(1) << 12;
// If the first part has too many matches, parts become smaller by this factor.
const int64_t kSmaller = 16;

// The positions of a strand that are searched, in parts.
struct StrandSearch {
    bool reverse;
    Text text;
    int64_t begin, end, part_letters;
    Parts parts;
    std::vector<char> complete;  // of each part: whether it was searched to its end

    // Begins anew with parts of this size.
    void divide(int64_t letters) {
        part_letters = letters;
        parts = Parts(size_t((end - begin + letters - 1) / letters));
        complete.assign(parts.size(), false);
    }
};

// The search of a strand in a page.
struct Search {
    const TextView reference, queries;
    const Seeds seeds;
    const Page &page;
    const FindSettings &settings;
    StrandSearch &strand;
    const int64_t most;  // matches; 0: no limit
    std::atomic<int64_t> found;
    std::atomic<bool> stopped{false};

    void find(int64_t part) {
        if (stopped) return;
        const int64_t begin = strand.begin + part * strand.part_letters;
        Finder finder = {*this, begin, std::min(begin + strand.part_letters, strand.end),
                         strand.parts[size_t(part)]};
        strand.complete[size_t(part)] = finder.run();
    }

    // Counts matches of all threads.
    void add(size_t matches) {
        if (most > 0 && (found += int64_t(matches)) > most) stopped = true;
    }

    // Seeds that are looked up together, so that their cache misses overlap.
    struct Group {
        int64_t at;
        int count;
        int64_t buckets[kTogether];
        uint32_t from[kTogether], to[kTogether];
    };

    struct Finder {
        Search &search;
        const int64_t begin, end;
        std::vector<Match> &matches;
        struct Candidate {
            int64_t reference, query;
        } candidates[kCandidates] = {};
        int waiting = 0;
        size_t sift_at = kSiftFrom;

        // Returns false if the search was stopped before the end.
        bool run() {
            const Seeds &seeds = search.seeds;
            const int64_t step = seeds.query_step;
            const int64_t last =
                std::min(end + seeds.period() - 1, search.queries.size - seeds.letters + 1);
            int64_t at = (begin + step - 1) / step * step;
            // A group's memory is fetched while the groups before it are computed.
            Group groups[3] = {};
            for (int k = 0, empty = 0; empty < 3 && !search.stopped; k = (k + 1) % 3) {
                Group &next = groups[k], &middle = groups[(k + 2) % 3],
                      &ready = groups[(k + 1) % 3];
                collect(ready);
                next.at = at;
                next.count = at < last
                                 ? int(std::min<int64_t>((last - at + step - 1) / step, kTogether))
                                 : 0;
                at += step * kTogether;
                hash(next);
                look_up(middle);
                empty = next.count == 0 ? empty + 1 : 0;
            }
            if (search.stopped) return false;
            compare();
            tidy();
            return true;
        }

        void hash(Group &group) const {
            const uint32_t *starts = search.page.starts.data();
            for (int k = 0; k < group.count; k++) {
                const int64_t at = group.at + k * search.seeds.query_step;
                group.buckets[k] = bucket_at(search.seeds, search.queries, at);
                if (group.buckets[k] >= 0) __builtin_prefetch(starts + group.buckets[k]);
            }
        }

        void look_up(Group &group) const {
            const uint32_t *starts = search.page.starts.data();
            const uint32_t *positions = search.page.positions.data();
            for (int k = 0; k < group.count; k++) {
                const int64_t bucket = group.buckets[k];
                group.from[k] = bucket < 0 ? 0 : starts[bucket];
                group.to[k] = bucket < 0 ? 0 : starts[bucket + 1];
                __builtin_prefetch(positions + group.from[k]);
            }
        }

        void collect(const Group &group) {
            const uint32_t *positions = search.page.positions.data();
            for (int k = 0; k < group.count; k++)
                for (uint32_t place = group.from[k]; place < group.to[k]; place++) {
                    const int64_t reference = search.page.first + positions[place];
                    __builtin_prefetch(search.reference.letters + reference);
                    candidates[waiting++] = {reference, group.at + k * search.seeds.query_step};
                    if (waiting < kCandidates) continue;
                    compare();
                    if (search.stopped) return;
                }
        }

        void compare() {
            const int64_t min_length = search.settings.min_length;
            const size_t before = matches.size();
            for (int k = 0; k < waiting; k++) {
                const Candidate &candidate = candidates[k];
                int64_t behind, from;
                if (!is_match(search.seeds, min_length,
                              search.reference.letters + candidate.reference,
                              search.queries.letters + candidate.query, &behind, &from))
                    continue;
                const int64_t start = candidate.query - behind;
                if (start < begin || start >= end) continue;
                matches.push_back({candidate.reference - behind, start, behind + from, 0});
            }
            waiting = 0;
            search.add(matches.size() - before);
            if (search.settings.kind != kMem && matches.size() > sift_at) {
                tidy();
                sift_at = std::max(kSiftFrom, 2 * matches.size());
            }
        }

        void tidy() { tidy_part(search.settings.kind, matches); }
    };
};

// Searches a strand in a page. If there are too many matches, keeps the first parts alone.
void search_page(const Index &index, const Seeds &seeds, const Page &page,
                 const FindSettings &settings, int64_t most, StrandSearch *strand) {
    int64_t found = 0;  // in earlier pages
    for (const std::vector<Match> &part : strand->parts) found += int64_t(part.size());
    std::fill(strand->complete.begin(), strand->complete.end(), char(false));
    Search search = {
        index.text().view(), strand->text.view(), seeds, page, settings, *strand, most, {found}};
    parallel_for(
        int64_t(strand->parts.size()),
        (strand->end - strand->begin) / seeds.query_step * kNanosecondsOfLookUp, settings.threads,
        [](void *context, int64_t part) { static_cast<Search *>(context)->find(part); }, &search,
        true);
    const auto first = std::find(strand->complete.begin(), strand->complete.end(), char(false));
    strand->parts.resize(size_t(first - strand->complete.begin()));
    strand->complete.resize(strand->parts.size());
}

// Searches strands in all pages.
void search_pages(const Index &index, const Seeds &seeds, const FindSettings &settings,
                  int64_t most, std::vector<StrandSearch> *strands) {
    Page scratch;
    // Both strands are searched in a page before the next one, which may have to be built.
    for (int64_t number = 0; number < index.pages(); number++) {
        const Page &page = index.page(number, &scratch);
        for (StrandSearch &strand : *strands)
            search_page(index, seeds, page, settings, most, &strand);
    }
}

// Makes parts of the search smaller until the first one has few enough matches, or one position.
void search_part(const Index &index, const Seeds &seeds, const FindSettings &settings,
                 std::vector<StrandSearch> *strands) {
    StrandSearch &strand = strands->front();
    strand.begin = settings.first;
    // Each thread gets some parts.
    int64_t letters = std::clamp<int64_t>((settings.last - settings.first) / 64, 1, kPart);
    for (;; letters = std::max<int64_t>(letters / kSmaller, 1)) {
        strand.end = std::min(settings.last, strand.begin + letters * kMostParts);
        strand.divide(letters);
        const size_t all = strand.parts.size();
        search_pages(index, seeds, settings, settings.most, strands);
        if (all > 0 && strand.parts.empty() && letters > 1) continue;
        if (all > 0 && strand.parts.empty()) {
            strand.end = strand.begin + 1;
            strand.divide(1);
            search_pages(index, seeds, settings, 0, strands);
        }
        break;
    }
    strand.end =
        std::min(strand.end, strand.begin + int64_t(strand.parts.size()) * strand.part_letters);
}

}  // namespace

Results find_on_cpu(const Index &index, const FindSettings &settings,
                    const gkl_shim_mem_sequences &queries) {
    std::vector<StrandSearch> strands;
    for (const bool reverse : {false, true}) {
        if (!settings.wants(reverse)) continue;
        Text text = text_of(queries, reverse, index.settings().nucleotides_only, settings.threads);
        const int64_t size = text.size();
        strands.push_back({reverse, std::move(text), 0, size, 0, {}, {}});
        strands.back().divide(kPart);
    }
    Seeds seeds = index.seeds();
    seeds.query_step = query_step(seeds, settings.min_length);
    if (settings.is_part())
        search_part(index, seeds, settings, &strands);
    else
        search_pages(index, seeds, settings, 0, &strands);
    Results results = results_of(queries);
    results.end = strands.back().end;
    for (StrandSearch &strand : strands)
        results.strands[strand.reverse] =
            gather(strand.text, settings.kind, strand.parts, settings.threads);
    return results;
}

}  // namespace mem
}  // namespace gkl_shim

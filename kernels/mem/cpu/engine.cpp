#include "mem/cpu/engine.h"

#include <algorithm>
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

struct Search {
    const TextView reference, queries;
    const Seeds seeds;
    const Page &page;
    const FindSettings &settings;
    Parts &parts;

    void find(int64_t part) const {
        Finder finder = {*this, part * kPart, std::min((part + 1) * kPart, queries.size),
                         parts[size_t(part)]};
        finder.run();
    }

    // Seeds that are looked up together, so that their cache misses overlap.
    struct Group {
        int64_t at;
        int count;
        int64_t buckets[kTogether];
        uint32_t from[kTogether], to[kTogether];
    };

    struct Finder {
        const Search &search;
        const int64_t begin, end;
        std::vector<Match> &matches;
        struct Candidate {
            int64_t reference, query;
        } candidates[kCandidates] = {};
        int waiting = 0;
        size_t sift_at = kSiftFrom;

        void run() {
            const Seeds &seeds = search.seeds;
            const int64_t step = seeds.query_step;
            const int64_t last =
                std::min(end + seeds.period() - 1, search.queries.size - seeds.letters + 1);
            int64_t at = (begin + step - 1) / step * step;
            // A group's memory is fetched while the groups before it are computed.
            Group groups[3] = {};
            for (int k = 0, empty = 0; empty < 3; k = (k + 1) % 3) {
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
            compare();
            tidy();
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
                    if (waiting == kCandidates) compare();
                }
        }

        void compare() {
            const int64_t min_length = search.settings.min_length;
            for (int k = 0; k < waiting; k++) {
                const Candidate &candidate = candidates[k];
                int64_t before, from;
                if (!is_match(search.seeds, min_length,
                              search.reference.letters + candidate.reference,
                              search.queries.letters + candidate.query, &before, &from))
                    continue;
                const int64_t start = candidate.query - before;
                if (start < begin || start >= end) continue;
                matches.push_back({candidate.reference - before, start, before + from, 0});
            }
            waiting = 0;
            if (search.settings.kind != kMem && matches.size() > sift_at) {
                tidy();
                sift_at = std::max(kSiftFrom, 2 * matches.size());
            }
        }

        void tidy() { tidy_part(search.settings.kind, matches); }
    };
};

// A strand of the queries, and its matches.
struct StrandSearch {
    bool reverse;
    Text text;
    Parts parts;
};

}  // namespace

Results find_on_cpu(const Index &index, const FindSettings &settings,
                    const gkl_shim_mem_sequences &queries) {
    std::vector<StrandSearch> strands;
    for (const bool reverse : {false, true}) {
        if (!settings.wants(reverse)) continue;
        Text text = text_of(queries, reverse, index.settings().nucleotides_only, settings.threads);
        Parts parts = parts_of(text);
        strands.push_back({reverse, std::move(text), std::move(parts)});
    }
    Page scratch;
    Seeds seeds = index.seeds();
    seeds.query_step = query_step(seeds, settings.min_length);
    // Both strands are searched in a page before the next one, which may have to be built.
    for (int64_t number = 0; number < index.pages(); number++) {
        const Page &page = index.page(number, &scratch);
        for (StrandSearch &strand : strands) {
            Search search = {index.text().view(), strand.text.view(), seeds, page, settings,
                             strand.parts};
            parallel_for(
                int64_t(strand.parts.size()),
                strand.text.size() / seeds.query_step * kNanosecondsOfLookUp, settings.threads,
                [](void *context, int64_t part) {
                    static_cast<const Search *>(context)->find(part);
                },
                &search, true);
        }
    }
    Results results = results_of(queries);
    for (StrandSearch &strand : strands)
        results.strands[strand.reverse] =
            gather(strand.text, settings.kind, strand.parts, settings.threads);
    return results;
}

}  // namespace mem
}  // namespace gkl_shim

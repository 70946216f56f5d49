#include "mem/cpu/engine.h"

#include <algorithm>

#include "common/thread_pool.h"

namespace gkl_shim {
namespace mem {
namespace {

// Positions of a task. Matches that start there are its own.
const int64_t kPart = int64_t(1) << 17;
const int64_t kNanosecondsOfSeed = 20;
// Seeds that are looked up together, so that the cache misses of one overlap with the others'.
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
    std::vector<std::vector<Match>> &parts;

    void find(int64_t part) const {
        Finder finder = {*this, part * kPart, std::min((part + 1) * kPart, queries.size),
                         parts[size_t(part)]};
        finder.run();
    }

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
            for (int64_t at = (begin + step - 1) / step * step; at < last; at += step * kTogether)
                look_up(at, int(std::min<int64_t>((last - at + step - 1) / step, kTogether)));
            compare();
            tidy();
        }

        // Looks up `count` seeds from a position on.
        void look_up(int64_t at, int count) {
            const uint32_t *starts = search.page.starts.data();
            const uint32_t *positions = search.page.positions.data();
            const int64_t step = search.seeds.query_step;
            int64_t buckets[kTogether];
            uint32_t from[kTogether], to[kTogether];
            for (int k = 0; k < count; k++) {
                buckets[k] = bucket_at(search.seeds, search.queries, at + k * step);
                if (buckets[k] >= 0) __builtin_prefetch(starts + buckets[k]);
            }
            for (int k = 0; k < count; k++) {
                from[k] = to[k] = 0;
                if (buckets[k] < 0) continue;
                from[k] = starts[buckets[k]];
                to[k] = starts[buckets[k] + 1];
                __builtin_prefetch(positions + from[k]);
            }
            for (int k = 0; k < count; k++)
                for (uint32_t place = from[k]; place < to[k]; place++) {
                    const int64_t reference = search.page.first + positions[place];
                    __builtin_prefetch(search.reference.letters + reference);
                    candidates[waiting++] = {reference, at + k * step};
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

        void tidy() {
            sort_matches(matches);
            if (search.settings.kind != kMem) sift_repeated(matches);
        }
    };
};

Strand find_on_strand(const Index &index, const FindSettings &settings, const Text &queries) {
    std::vector<std::vector<Match>> parts(size_t((queries.size() + kPart - 1) / kPart));
    Page scratch;
    Seeds seeds = index.seeds();
    seeds.query_step = query_step(seeds, settings.min_length);
    for (int64_t number = 0; number < index.pages(); number++) {
        const Page &page = index.page(number, &scratch);
        Search search = {index.text().view(), queries.view(), seeds, page, settings, parts};
        parallel_for(
            int64_t(parts.size()), queries.size() / seeds.query_step * kNanosecondsOfSeed,
            settings.threads,
            [](void *context, int64_t part) { static_cast<const Search *>(context)->find(part); },
            &search, true);
    }
    return gather(queries, settings.kind, parts, settings.threads);
}

}  // namespace

Results find_on_cpu(const Index &index, const FindSettings &settings, const uint8_t *letters,
                    const int64_t *offsets, int64_t count) {
    Results results;
    for (int64_t k = 0; k <= count; k++) results.query_starts.push_back(offsets[k] + k);
    const bool only = index.settings().nucleotides_only;
    for (const bool reverse : {false, true}) {
        if (!(reverse ? settings.reverse : settings.forward)) continue;
        const Text queries(reverse ? Role::kReversedQuery : Role::kQuery, only, letters, offsets,
                           count, settings.threads);
        results.strands[reverse] = find_on_strand(index, settings, queries);
    }
    return results;
}

}  // namespace mem
}  // namespace gkl_shim

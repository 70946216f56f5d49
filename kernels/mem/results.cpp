#include "mem/results.h"

#include <string.h>

#include <algorithm>

#include "common/thread_pool.h"

namespace gkl_shim {
namespace mem {
namespace {

const int64_t kMatchesPerNanosecond = 1;

// The first match of each query, for matches in the order of their queries.
std::vector<int64_t> starts_of_queries(const Text &queries, const Match *matches, int64_t count) {
    std::vector<int64_t> starts(size_t(queries.count() + 1));
    int64_t query = 0;
    for (int64_t k = 0; k < count; k++)
        while (queries.starts()[size_t(query + 1)] <= matches[k].query) starts[size_t(++query)] = k;
    while (query < queries.count()) starts[size_t(++query)] = count;
    return starts;
}

// Keeps the matches of each query that `kind` asks for, in `kind`'s order.
void choose_unique(const Text &queries, int kind, std::vector<Match> &matches) {
    sift_repeated(matches);
    matches.erase(std::remove_if(matches.begin(), matches.end(),
                                 [](const Match &match) { return match.repeated; }),
                  matches.end());
    if (kind != kMum) return;
    const std::vector<int64_t> starts =
        starts_of_queries(queries, matches.data(), int64_t(matches.size()));
    std::vector<Match> of_query;
    auto out = matches.begin();
    for (size_t query = 0; query + 1 < starts.size(); query++) {
        if (starts[query] == starts[query + 1]) continue;
        of_query.assign(matches.begin() + starts[query], matches.begin() + starts[query + 1]);
        keep_unique_in_query(of_query);
        out = std::copy(of_query.begin(), of_query.end(), out);
    }
    matches.erase(out, matches.end());
}

}  // namespace

void tidy_part(int kind, std::vector<Match> &matches) {
    sort_matches(matches);
    if (kind != kMem) sift_repeated(matches);
}

Results search_strands(bool nucleotides_only, const FindSettings &settings,
                       const gkl_shim_mem_sequences &queries,
                       const std::function<Strand(const Text &)> &find) {
    Results results;
    for (int64_t k = 0; k <= queries.count; k++)
        results.query_starts.push_back(queries.offsets[k] + k);
    for (const bool reverse : {false, true}) {
        if (!(reverse ? settings.reverse : settings.forward)) continue;
        const Text text(reverse ? Role::kReversedQuery : Role::kQuery, nucleotides_only,
                        queries.letters, queries.offsets, queries.count, settings.threads);
        results.strands[reverse] = find(text);
    }
    return results;
}

Strand gather(const Text &queries, int kind, Parts &parts, int threads) {
    Strand strand;
    strand.searched = true;
    if (kind != kMem) {
        std::vector<Match> all;
        for (std::vector<Match> &part : parts) {
            all.insert(all.end(), part.begin(), part.end());
            std::vector<Match>().swap(part);
        }
        choose_unique(queries, kind, all);
        parts.assign(1, std::move(all));
    }
    struct Job {
        Parts &parts;
        std::vector<int64_t> places;
        Match *matches;
    } job = {parts, {0}, nullptr};
    for (const std::vector<Match> &part : parts)
        job.places.push_back(job.places.back() + int64_t(part.size()));
    const int64_t count = job.places.back();
    strand.matches = Buffer<Match>(count);
    job.matches = strand.matches.data();
    parallel_for(
        int64_t(parts.size()), count / kMatchesPerNanosecond, threads,
        [](void *context, int64_t k) {
            Job &job = *static_cast<Job *>(context);
            std::vector<Match> &part = job.parts[size_t(k)];
            std::copy(part.begin(), part.end(), job.matches + job.places[size_t(k)]);
            std::vector<Match>().swap(part);
        },
        &job);
    // mum's matches are not in the order of the query, but those of each query are together.
    strand.starts = starts_of_queries(queries, strand.matches.data(), count);
    return strand;
}

}  // namespace mem
}  // namespace gkl_shim

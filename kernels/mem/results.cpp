#include "mem/results.h"

#include <string.h>

#include <algorithm>

#include "common/thread_pool.h"

namespace gkl_shim {
namespace mem {
namespace {

const int64_t kMatchesPerNanosecond = 1;
// What one task of copy_matches() copies, and its time for each.
const int64_t kCopiedTogether = int64_t(1) << 14;
const int64_t kNanosecondsOfCopy = 5;

// The first match of each query, and the number of all.
std::vector<int64_t> starts_of_queries(const std::vector<int64_t> &query_starts,
                                       const Match *matches, int64_t count) {
    std::vector<int64_t> starts(query_starts.size(), count);
    set_starts(query_starts, 0, int64_t(starts.size()) - 1, matches, count, 0, starts.data());
    return starts;
}

// Keeps the matches of each query that `kind` asks for, in `kind`'s order.
void choose_unique(const std::vector<int64_t> &query_starts, int kind,
                   std::vector<Match> &matches) {
    sift_repeated(matches);
    matches.erase(std::remove_if(matches.begin(), matches.end(),
                                 [](const Match &match) { return match.repeated; }),
                  matches.end());
    if (kind != kMum) return;
    const std::vector<int64_t> starts =
        starts_of_queries(query_starts, matches.data(), int64_t(matches.size()));
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

void tidy_slice(int kind, std::vector<Match> &matches) {
    sort_matches(matches.data(), matches.data() + matches.size());
    if (kind != kMem) sift_repeated(matches);
}

void set_starts(const std::vector<int64_t> &query_starts, int64_t first, int64_t last,
                const Match *matches, int64_t count, int64_t before, int64_t *starts) {
    int64_t k = 0;
    for (int64_t query = first; query < last; query++) {
        while (k < count && matches[k].query < query_starts[size_t(query)]) k++;
        starts[query] = before + k;
    }
}

void copy_matches(const Text &reference, const Results &results, int threads,
                  gkl_shim_mem_match *out) {
    struct Job {
        const Text &reference;
        const Results &results;
        gkl_shim_mem_match *out;

        void copy(int64_t task) const {
            for (const bool reverse : {false, true}) {
                const int64_t first = task * kCopiedTogether;
                const int64_t last =
                    std::min(first + kCopiedTogether, results.strands[reverse].count());
                if (first < last) copy(reverse, first, last);
            }
        }
        // Copies matches of a strand. Those of a query follow those of earlier queries, and its own
        // of the other strand.
        void copy(bool reverse, int64_t first, int64_t last) const {
            const Strand &strand = results.strands[reverse], &other = results.strands[!reverse];
            const std::vector<int64_t> &starts = strand.starts;
            size_t query =
                size_t(std::upper_bound(starts.begin(), starts.end(), first) - starts.begin()) - 1;
            int64_t place = first;
            strand.visit(first, last, [&](const Match &match) {
                while (starts[query + 1] <= place) query++;
                const int64_t others = other.searched ? other.starts[query + size_t(reverse)] : 0;
                const int64_t sequence = reference.sequence_at(match.reference);
                out[others + place++] = {match.reference - reference.starts()[size_t(sequence)],
                                         match.query - results.query_starts[query],
                                         match.length,
                                         int32_t(sequence),
                                         int32_t(query),
                                         reverse,
                                         0};
            });
        }
    } job = {reference, results, out};
    const int64_t most = std::max(results.strands[0].count(), results.strands[1].count());
    parallel_for((most + kCopiedTogether - 1) / kCopiedTogether,
                 results.count() * kNanosecondsOfCopy, threads,
                 [](void *context, int64_t task) { static_cast<const Job *>(context)->copy(task); },
                 &job);
}

Results results_of(const gkl_shim_mem_sequences &queries) {
    Results results;
    results.query_starts.resize(size_t(queries.count + 1));
    for (int64_t k = 0; k <= queries.count; k++)
        results.query_starts[size_t(k)] = queries.offsets[k] + k;
    return results;
}

Strand gather(const std::vector<int64_t> &query_starts, int kind, Slices &slices, int threads) {
    Strand strand;
    strand.searched = true;
    if (kind != kMem) {
        std::vector<Match> all;
        for (std::vector<Match> &slice : slices) {
            all.insert(all.end(), slice.begin(), slice.end());
            std::vector<Match>().swap(slice);
        }
        choose_unique(query_starts, kind, all);
        slices.assign(1, std::move(all));
    }
    struct Job {
        Slices &slices;
        std::vector<int64_t> places;
        Match *matches;
    } job = {slices, {0}, nullptr};
    for (const std::vector<Match> &slice : slices)
        job.places.push_back(job.places.back() + int64_t(slice.size()));
    const int64_t count = job.places.back();
    Buffer<Match> matches(count);
    job.matches = matches.data();
    parallel_for(
        int64_t(slices.size()), count / kMatchesPerNanosecond, threads,
        [](void *context, int64_t k) {
            Job &job = *static_cast<Job *>(context);
            std::vector<Match> &slice = job.slices[size_t(k)];
            std::copy(slice.begin(), slice.end(), job.matches + job.places[size_t(k)]);
            std::vector<Match>().swap(slice);
        },
        &job);
    // mum's matches are not in the order of the query, but those of each query are together.
    strand.starts = starts_of_queries(query_starts, matches.data(), count);
    strand.append(std::move(matches));
    return strand;
}

}  // namespace mem
}  // namespace gkl_shim

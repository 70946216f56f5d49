#include "mem/results.h"

#include <algorithm>

#include "common/memory/copy.h"
#include "common/thread_pool.h"

namespace gkl_shim::mem {
namespace {

const int64_t kMatchesPerNanosecond = 1;
// What one task of copy_matches() copies, and its time for each.
const int64_t kMatchesOfCopy = int64_t(1) << 14;
const int64_t kNanosecondsOfCopy = 5;

// Keeps the matches of each query that `kind` asks for, in `kind`'s order.
void choose_unique(const SequenceStarts &starts, int kind, std::vector<Match> &matches) {
    sift_repeated(matches);
    matches.erase(std::remove_if(matches.begin(), matches.end(),
                                 [](const Match &match) { return match.repeated; }),
                  matches.end());
    if (kind != GKL_SHIM_MEM_MUM) return;
    std::vector<Match> of_query;
    auto out = matches.begin();
    int64_t query = 0;
    for (auto first = matches.begin(); first != matches.end();) {
        while (starts[query + 1] <= first->query) query++;
        const int64_t end = starts[query + 1];
        const auto last = std::find_if(first, matches.end(),
                                       [end](const Match &match) { return match.query >= end; });
        of_query.assign(first, last);
        keep_unique_in_query(of_query);
        out = std::copy(of_query.begin(), of_query.end(), out);
        first = last;
    }
    matches.erase(out, matches.end());
}

// Copies matches of a strand. Earlier queries' matches of the other strand come before them, and
// for reverse matches, forward ones of the same query.
void copy_of_strand(const Reference &reference, const Results &results, bool reverse, int64_t first,
                    int64_t last, gkl_shim_mem_match *out) {
    const SequenceStarts starts = results.starts();
    const Strand &other = results.strands[!reverse];
    Strand::Reader matches(results.strands[reverse], first);
    int64_t query = starts.sequence_at(matches.peek()->query);
    int64_t others = other.count_before(starts[query + reverse]);  // that come before
    Strand::Reader of_other(other, others);
    for (int64_t place = first; place < last; place++) {
        const Match &match = matches.next();
        while (starts[query + 1] <= match.query) query++;
        for (; of_other.has_before(starts[query + reverse]); others++) of_other.next();
        const int64_t sequence = reference.starts().sequence_at(match.reference);
        out[others + place] = {match.reference - reference.starts()[sequence],
                               match.query - starts[query],
                               match.length,
                               int32_t(sequence),
                               int32_t(query),
                               reverse,
                               0};
    }
}

}  // namespace

void tidy_slice(int kind, std::vector<Match> &matches) {
    sort_matches(matches.data(), matches.data() + matches.size());
    if (kind != GKL_SHIM_MEM_ALL) sift_repeated(matches);
}

void Strand::append(Buffer<Match> piece) {
    if (piece.size() == 0) return;
    places_.push_back(count() + piece.size());
    pieces_.push_back(std::move(piece));
}

int64_t Strand::count_before(int64_t start) const {
    const auto is_before = [start](const Match &match) { return match.query < start; };
    const auto after =
        std::partition_point(pieces_.begin(), pieces_.end(),
                             [&](const Buffer<Match> &piece) { return is_before(piece[0]); });
    if (after == pieces_.begin()) return 0;
    const Buffer<Match> &piece = after[-1];
    const Match *const first = piece.data();
    return places_[size_t(after - pieces_.begin() - 1)] +
           (std::partition_point(first, first + piece.size(), is_before) - first);
}

Strand::Reader::Reader(const Strand &strand, int64_t first) : strand_(&strand) {
    const auto &places = strand.places_;
    const auto piece = std::upper_bound(places.begin(), places.end(), first) - 1;
    enter(size_t(piece - places.begin()), first - *piece);
}

void Strand::Reader::enter(size_t piece, int64_t match) {
    piece_ = piece;
    next_ = end_ = nullptr;
    if (piece == strand_->pieces_.size()) return;
    const Buffer<Match> &matches = strand_->pieces_[piece];
    next_ = matches.data() + match;
    end_ = matches.data() + matches.size();
}

void copy_matches(const Reference &reference, const Results &results, int threads,
                  gkl_shim_mem_match *out) {
    const int64_t most = std::max(results.strands[0].count(), results.strands[1].count());
    const int64_t nanoseconds = results.count() * kNanosecondsOfCopy;
    parallel_for_ranges(
        most, kMatchesOfCopy, nanoseconds, threads, [&](int64_t first, int64_t end) {
            for (const bool reverse : {false, true}) {
                const int64_t last = std::min(end, results.strands[reverse].count());
                if (first < last) copy_of_strand(reference, results, reverse, first, last, out);
            }
        });
}

Results results_of(const gkl_shim_mem_sequences &queries, int threads) {
    Results results;
    results.offsets = Buffer<int64_t>(queries.count + 1);
    copy_all({{results.offsets.data(), queries.offsets, results.offsets.size() * 8}}, threads);
    return results;
}

Strand gather(const SequenceStarts &starts, int kind, Slices &slices, int threads) {
    Strand strand;
    strand.searched = true;
    if (kind != GKL_SHIM_MEM_ALL) {
        std::vector<Match> all;
        for (std::vector<Match> &slice : slices) {
            all.insert(all.end(), slice.begin(), slice.end());
            std::vector<Match>().swap(slice);
        }
        choose_unique(starts, kind, all);
        slices.assign(1, std::move(all));
    }
    std::vector<int64_t> places = {0};
    for (const std::vector<Match> &slice : slices)
        places.push_back(places.back() + int64_t(slice.size()));
    const int64_t count = places.back();
    Buffer<Match> matches(count);
    parallel_for(int64_t(slices.size()), count / kMatchesPerNanosecond, threads, [&](int64_t k) {
        std::vector<Match> &slice = slices[size_t(k)];
        std::copy(slice.begin(), slice.end(), matches.data() + places[size_t(k)]);
        std::vector<Match>().swap(slice);
    });
    strand.append(std::move(matches));
    return strand;
}

}  // namespace gkl_shim::mem

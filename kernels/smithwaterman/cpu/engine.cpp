// The flow of the CPU engine. It divides a batch into groups of similar pairs, which one kernel
// aligns together. A group is a task for one thread.
#include "smithwaterman/cpu/engine.h"

#include <string.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "common/thread_pool.h"
#include "smithwaterman/cpu/align.h"
#include "smithwaterman/cpu/lanes.h"
#include "smithwaterman/cpu/trace.h"

namespace gkl_shim::smithwaterman {
namespace {

// The throughput of one thread, about.
constexpr int64_t kCellsPerNanosecond = 4;

// The most memory for the flags of several pairs. They should stay in the CPU's second cache.
constexpr size_t kMaxGroupBytes = size_t(512) << 10;

// The fixed cost of a step, in rows.
constexpr int64_t kStepCost = 4;

// Where the last occurrence of the alternative in the reference starts; -1 if there is none.
int64_t last_index_of(const Pair &pair) {
    int64_t k = pair.n - pair.m;
    while (k >= 0 && (pair.reference[k] != pair.alternative[0] ||
                      memcmp(pair.reference + k, pair.alternative, size_t(pair.m)) != 0))
        k--;
    return std::max<int64_t>(k, -1);
}

// How long a group takes, about, in vectors of cells.
int64_t cost(const Kernel &kernel, const Group &group) {
    const int64_t lanes = kernel.lanes / group.count;
    return (group.m + lanes) * ((group.n + lanes - 1) / lanes + kStepCost);
}

// A pair and the kernel that computes it. Pairs that follow each other in order may be a group.
struct Place {
    Lanes lanes;
    int64_t n, m, pair;

    // Pairs of similar lengths are neighbours in the order of this.
    std::tuple<int, int64_t, int64_t, int64_t> key() const {
        return std::make_tuple(int(lanes), m / (kMaxDifference / 2), n, m);
    }
};

struct Job {
    const CpuSettings &settings;
    const gkl_shim_smithwaterman_batch &batch;
    const gkl_shim_smithwaterman_parameters &parameters;
    int64_t *offsets, *cigar_offsets;
    char *cigars;
    std::vector<Place> places = {};
    std::vector<size_t> groups = {};  // where each begins in `places`, and where the last ends

    Pair pair(int64_t k) const {
        const int64_t reference = batch.reference_offsets[k];
        const int64_t alternative = batch.alternative_offsets[k];
        return {batch.references + reference, batch.alternatives + alternative,
                batch.reference_offsets[k + 1] - reference,
                batch.alternative_offsets[k + 1] - alternative, parameters};
    }

    Place place(int64_t k) const {
        const Pair given = pair(k);
        return {settings.exact ? Lanes::kExact : lanes_for(given), given.n, given.m, k};
    }

    const Kernel &kernel(Lanes lanes) const {
        return lanes == Lanes::kNarrow ? settings.build->narrow
               : lanes == Lanes::kWide ? settings.build->wide
                                       : kExactKernel;
    }

    // Where pair k's part of `cigars` starts, which no other pair's text can reach.
    int64_t room(int64_t k) const {
        return 2 * (batch.reference_offsets[k] + batch.alternative_offsets[k]);
    }

    // Divides the pairs into groups of at most `most`.
    void plan(int most) {
        places.reserve(size_t(batch.pairs));
        for (int64_t k = 0; k < batch.pairs; k++) places.push_back(place(k));
        // Slow kernels and long pairs come first, so that all threads end at about the same time.
        std::sort(places.begin(), places.end(),
                  [](const Place &a, const Place &b) { return a.key() > b.key(); });
        Group group = {};
        for (const Place &place : places) {
            const size_t at = size_t(&place - places.data());
            const Kernel &kernel = this->kernel(place.lanes);
            Group alone = {};
            alone.add(place.n, place.m);
            Group grown = group;
            grown.add(place.n, place.m);
            if (group.count > 0 && places[at - 1].lanes == place.lanes &&
                grown.count <= std::min(most, kernel.lanes) &&
                grown.m - grown.min_m < kMaxDifference &&
                size_t(kernel.steps(grown)) * kernel.flag_bytes(grown) <= kMaxGroupBytes &&
                cost(kernel, grown) < cost(kernel, group) + cost(kernel, alone)) {
                group = grown;
            } else {
                groups.push_back(at);
                group = alone;
            }
        }
        groups.push_back(places.size());
    }

    // Aligns pairs that can be a group. Each CIGAR is left at the end of its room, with its length
    // in cigar_offsets[k + 1].
    void align_pairs(const Place *places, int count) const {
        Pair pairs[kMaxPairs];
        Result results[kMaxPairs];
        int64_t numbers[kMaxPairs];
        Group group = {};
        group.pairs = pairs;
        for (int place = 0; place < count; place++) {
            const int64_t k = places[place].pair;
            const Pair next = pair(k);
            const int64_t found = next.border_has_gaps() ? -1 : last_index_of(next);
            char *const end = cigars + room(k + 1);
            if (found >= 0) {
                offsets[k] = found;
                cigar_offsets[k + 1] = end - put(end, next.m, kMatch);
            } else {
                numbers[group.count] = k;
                results[group.count] = {0, end};
                pairs[group.count] = next;
                group.add(next.n, next.m);
            }
        }
        if (group.count == 0) return;
        align(kernel(places[0].lanes), group, results);
        for (int k = 0; k < group.count; k++) {
            offsets[numbers[k]] = results[k].offset;
            cigar_offsets[numbers[k] + 1] = cigars + room(numbers[k] + 1) - results[k].text;
        }
    }

    void align_all() {
        int64_t cells = 0;
        for (int64_t k = 0; k < batch.pairs; k++) cells += pair(k).n * pair(k).m;
        const int64_t nanoseconds = cells / kCellsPerNanosecond;
        // Several groups for each thread, so that all threads end at about the same time.
        const int threads = threads_for(nanoseconds, settings.threads);
        plan(threads == 1 ? kMaxPairs
                          : int(std::min<int64_t>(kMaxPairs, 1 + batch.pairs / (4 * threads))));
        parallel_for(int64_t(groups.size()) - 1, nanoseconds, settings.threads,
                     [this](int64_t group) {
                         const size_t *const bounds = &groups[size_t(group)];
                         align_pairs(&places[bounds[0]], int(bounds[1] - bounds[0]));
                     });
    }

    // Moves the CIGARs together.
    void pack() const {
        cigar_offsets[0] = 0;
        for (int64_t k = 0; k < batch.pairs; k++) {
            const int64_t length = cigar_offsets[k + 1];
            memmove(cigars + cigar_offsets[k], cigars + room(k + 1) - length, size_t(length));
            cigar_offsets[k + 1] = cigar_offsets[k] + length;
        }
    }
};

}  // namespace

const Builds<CpuBuild> &cpu_builds() {
    static const Builds<CpuBuild> builds(GKL_SHIM_COMPILED_BUILDS);
    return builds;
}

void align_on_cpu(const CpuSettings &settings, const gkl_shim_smithwaterman_batch &batch,
                  const gkl_shim_smithwaterman_parameters &parameters, int64_t *offsets,
                  int64_t *cigar_offsets, char *cigars) {
    Job job = {settings, batch, parameters, offsets, cigar_offsets, cigars};
    if (batch.pairs == 1) {
        const Place only = job.place(0);
        job.align_pairs(&only, 1);
    } else {
        job.align_all();
    }
    job.pack();
}

}  // namespace gkl_shim::smithwaterman

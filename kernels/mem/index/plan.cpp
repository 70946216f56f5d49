#include "mem/index/plan.h"

#include <math.h>

#include <numeric>

namespace gkl_shim::mem {
namespace {

// Wider steps than this save nothing: comparing the matches takes the time.
const int32_t kMaxStep = 64;
// Nanoseconds for each indexed seed, each looked-up seed, each candidate and each bucket. A miss of
// the cache is added for tables of more than kCacheBytes.
const double kIndexed = 14, kLookedUp = 15, kCandidate = 30, kBucket = 5, kMiss = 8;
const double kCacheBytes = 8 << 20;
// Genomes repeat themselves: two seeds of k letters are equal as often as two of 2^(kEntropy * k)
// random numbers.
const double kEntropy = 1.9;

double nanoseconds(const Workload &workload, const Seeds &seeds) {
    const double indexed = double(workload.reference) / seeds.reference_step;
    const double looked_up = double(workload.queries) / seeds.query_step;
    const double distinct = std::min(exp2(kEntropy * seeds.letters), exp2(double(seeds.bits)));
    const double candidates = looked_up * indexed / distinct;
    const double table = 4 * exp2(double(seeds.bits));
    const double misses = table > kCacheBytes ? kMiss * log2(table / kCacheBytes) / 2 : 0;
    return indexed * (kIndexed + misses / 4) + looked_up * (kLookedUp + misses) +
           candidates * kCandidate + kBucket * exp2(double(seeds.bits));
}

}  // namespace

int32_t query_step(const Seeds &seeds, int64_t min_length) {
    const int64_t period = min_length - seeds.letters + 1;
    int64_t step = std::min<int64_t>(period / seeds.reference_step, kMaxStep);
    while (std::gcd(step, int64_t(seeds.reference_step)) > 1) step--;
    return int32_t(step);
}

Seeds choose_seeds(const Workload &workload) {
    Seeds best = {};
    double least = INFINITY;
    const int64_t longest = std::min<int64_t>(workload.min_length, kMaxSeedLetters);
    for (int32_t letters = 1; letters <= longest; letters++) {
        const int64_t period = workload.min_length - letters + 1;
        for (int32_t step = 1; step <= std::min<int64_t>(period, kMaxStep); step++) {
            Seeds seeds = {letters, 0, -1, step, 1};
            seeds.query_step = query_step(seeds, workload.min_length);
            for (int32_t bits = std::min(2 * letters, 8); bits <= std::min(2 * letters, kMaxBits);
                 bits++) {
                seeds.bits = bits;
                if (bits > 8 && (int64_t(4) << bits) > workload.table_bytes) break;
                const double time = nanoseconds(workload, seeds);
                if (time < least) {
                    least = time;
                    best = seeds;
                }
            }
        }
    }
    if (workload.odd > 0) {
        // A letter other than acgt makes at most `letters` seeds odd.
        const int64_t odd = std::min(workload.odd * best.letters, workload.reference);
        best.odd_bits = 0;
        while (best.odd_bits < best.bits &&
               (int64_t(1) << best.odd_bits) < odd / best.reference_step)
            best.odd_bits++;
    }
    return best;
}

}  // namespace gkl_shim::mem

// Chooses the seeds: their length, their steps and the size of the table of buckets.
#pragma once

#include <algorithm>

#include "mem/model.h"

namespace gkl_shim::mem {

// The most bits of Seeds, so that the number of a bucket has 32 bits.
const int32_t kMaxBits = 30;

struct Workload {
    int64_t reference;    // letters that one page of the index covers
    int64_t odd;          // of these, letters other than acgt
    int64_t queries;      // letters that will be looked up, both strands counted
    int64_t min_length;   // at least 1
    int64_t table_bytes;  // limit for the table of buckets
};

// Positions of seeds, one step apart.
struct SeedPositions {
    int64_t first, count;
};

// Those in [begin, end) of a text: the multiples of the step.
inline SeedPositions seed_positions(int64_t begin, int64_t end, int64_t step) {
    const int64_t first = (begin + step - 1) / step * step;
    return {first, std::max<int64_t>((end - first + step - 1) / step, 0)};
}

// The seeds with the lowest estimated time.
Seeds choose_seeds(const Workload &workload);

// The widest step for queries that finds every match of a length, for an index with these seeds.
int32_t query_step(const Seeds &seeds, int64_t min_length);

}  // namespace gkl_shim::mem

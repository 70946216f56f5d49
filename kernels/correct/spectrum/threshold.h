// The counts from which on k-mers are solid, or repeated.
#pragma once

#include <stdint.h>

#include <vector>

namespace gkl_shim::correct {

// histogram[c] is how many k-mers occur c times, and the last number how many occur at least
// kMaxCount times. histogram[0] is the sum of their counts.
using Histogram = std::vector<int64_t>;

// The count at which the histogram has its valley, at least 2. Errors make k-mers of low counts,
// and the genome k-mers of about its depth; between them lies the valley.
//
// In very deep reads, the same error occurs often, and the histogram has a valley below the k-mers
// with one error, too. So k-mers that occur far less often than the median k-mer of the reads are
// errors, whatever the histogram is like there.
int valley(const Histogram &histogram);

// The count from which on k-mers below the valley are repeated: errors make few of them, and there
// are at most half as many as solid ones. It is the valley if none is.
int repeated_from(const Histogram &histogram);

// Repeated k-mers occur at least this often.
constexpr int kRepeated = 3;

}  // namespace gkl_shim::correct

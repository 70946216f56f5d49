#include "correct/spectrum/threshold.h"

#include <algorithm>

#include "correct/model.h"

namespace gkl_shim::correct {
namespace {

// Of the reads that cover a base, at most one in this many has the same error there. With 1% errors
// and three wrong bases, it is one in 300.
constexpr int64_t kReadsOfAnError = 64;

// There is at most one for this number of solid ones, so that memory does not grow with the reads.
constexpr int64_t kSolidForRepeated = 2;

// The count of the median k-mer: half of all k-mers, each taken as often as it occurs, occur at
// least this often. If that is more than the histogram distinguishes, the mean count of the
// distinct k-mers that its last number stands for.
int64_t median_count(const Histogram &histogram) {
    const int64_t last = int64_t(histogram.size()) - 1;
    int64_t all = histogram[0];
    for (int64_t count = 1; count < last; count++) all += count * histogram[size_t(count)];
    int64_t above = histogram[0];
    if (above > all / 2) return above / histogram[size_t(last)];
    int64_t count = last;
    while (count > 1 && above <= all / 2) {
        count--;
        above += count * histogram[size_t(count)];
    }
    return count;
}

}  // namespace

int valley(const Histogram &histogram) {
    const int last = int(kMaxCount) - 1;  // the last number stands for many counts
    const int deep = int(median_count(histogram) / kReadsOfAnError);
    int at = std::max(deep, 1);
    while (at < last && histogram[size_t(at + 1)] < histogram[size_t(at)]) at++;
    if (deep > 1) return at;
    // There is a peak behind the valley only if the numbers rise again, and not by a few k-mers.
    int64_t peak = 0;
    for (int k = at + 1; k <= last; k++) peak = std::max(peak, histogram[size_t(k)]);
    if (at == last || peak < histogram[size_t(at)] + histogram[size_t(at)] / 8 + 16) return 2;
    return std::max(at, 2);
}

int repeated_from(const Histogram &histogram) {
    const int threshold = valley(histogram);
    const int least = std::max(int(median_count(histogram) / kReadsOfAnError), kRepeated);
    int64_t room = 0;  // repeated k-mers that there may still be
    for (size_t count = size_t(threshold); count < histogram.size(); count++)
        room += histogram[count];
    room /= kSolidForRepeated;
    int from = threshold;
    while (from > least && histogram[size_t(from - 1)] <= room) room -= histogram[size_t(--from)];
    return from;
}

}  // namespace gkl_shim::correct

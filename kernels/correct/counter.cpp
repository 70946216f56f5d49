#include "correct/counter.h"

#include <algorithm>

namespace gkl_shim {
namespace correct {

int valley(const std::vector<int64_t> &histogram) {
    const int last = int(histogram.size()) - 2;  // the last number stands for many counts
    int at = 1;
    while (at < last && histogram[size_t(at + 1)] < histogram[size_t(at)]) at++;
    // There is a peak behind the valley only if the numbers rise again, and not by a few k-mers.
    int64_t peak = 0;
    for (int k = at + 1; k <= last; k++) peak = std::max(peak, histogram[size_t(k)]);
    if (at == last || peak < histogram[size_t(at)] + histogram[size_t(at)] / 8 + 16) return 2;
    return std::max(at, 2);
}

int Counter::keep_from(const std::vector<int64_t> &histogram, bool complete) {
    int from = least_;
    if (from == kValley) {
        from = valley(histogram);
        if (!complete) from = cautious_ ? 2 : std::max(from / 2, 2);
    }
    kept_from_ = std::max(kept_from_, from);
    return from;
}

bool Counter::complete() {
    if (kept_from_ <= least()) return true;
    cautious_ = true;
    start_again();
    return false;
}

void Counter::start_again() {
    std::fill(histogram_.begin(), histogram_.end(), 0);
    for (Mapped &kept : kept_) kept = Mapped();
    kept_from_ = 0;
}

}  // namespace correct
}  // namespace gkl_shim

#include "correct/spectrum/counter.h"

#include <algorithm>

namespace gkl_shim::correct {

int Counter::least_to_keep(const Histogram &histogram, bool complete) {
    int from = least_;
    if (from == kValley) {
        from = repeated_from(histogram);
        if (!complete)
            from = keeps_all_repeated_ ? 2 : std::max(from / 2, std::min(from, kRepeated));
    }
    kept_from_ = std::max(kept_from_, from);
    return from;
}

bool Counter::finish_or_start_again() {
    if (kept_from_ <= least()) return true;
    keeps_all_repeated_ = true;
    start_again();
    return false;
}

void Counter::start_again() {
    std::fill(histogram_.begin(), histogram_.end(), 0);
    for (Kept &kept : kept_) kept = Kept();
    kept_from_ = 0;
}

}  // namespace gkl_shim::correct

#include "hmm/cpu/reads.h"

#include <math.h>

#include <algorithm>

namespace gkl_shim::hmm {

void Reads::sort() {
    order_.resize(size_t(bounds_.reads));
    const int64_t *offsets = batch_->read_offsets + bounds_.first_read;
    for (int32_t r = 0; r < int32_t(bounds_.reads); r++)
        order_[size_t(r)] = {int32_t(offsets[r + 1] - offsets[r]), r};
    std::sort(order_.begin(), order_.end());
}

int64_t Reads::bases() const {
    const int64_t *offsets = batch_->read_offsets + bounds_.first_read;
    return order_.empty() ? 0 : offsets[bounds_.reads] - offsets[0];
}

ReadView Reads::view(int32_t read) const {
    const Read &order = order_[size_t(read)];
    const int64_t at = batch_->read_offsets[bounds_.first_read + order.index];
    return {batch_->read_bases + at,         batch_->base_quals + at,
            batch_->insertion_quals + at,    batch_->deletion_quals + at,
            batch_->continuation_quals + at, order.length};
}

bool Reads::complete() const {
    for (int64_t r = 0; r < bounds_.reads; r++) {
        const double *row = bounds_.out + r * bounds_.per_row;
        if (std::any_of(row, row + bounds_.haplotypes, [](double x) { return isnan(x); }))
            return false;
    }
    return true;
}

}  // namespace gkl_shim::hmm

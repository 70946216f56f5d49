#include "mem/index/reference.h"

#include <utility>

#include "common/interrupt.h"

namespace gkl_shim::mem {

Reference::Reference(bool nucleotides_only, const uint8_t *letters, const int64_t *offsets,
                     int64_t count, int threads, bool borrowed)
    : threads_(threads) {
    const SequenceStarts starts = {offsets, count, 1};
    const TextSource source(Role::kReference, nucleotides_only, letters, starts);
    if (borrowed) {
        borrowed_ = source;
        return;
    }
    for (int64_t k = 0; k <= count; k++) starts_.push_back(starts[k]);
    prepared_->text.emplace(source, threads);
}

Reference::Reference(const uint8_t *text, std::vector<int64_t> starts, int threads)
    : threads_(threads), starts_(std::move(starts)) {
    prepared_->text.emplace(TextSource(Role::kReference, false, text, this->starts()), threads);
}

TextView Reference::text() const {
    if (borrowed_) {
        const std::lock_guard<std::mutex> lock(prepared_->mutex);
        const Uninterrupted has_lock;
        if (!prepared_->text) prepared_->text.emplace(*borrowed_, threads_);
    }
    return prepared_->text->view();
}

TextSource Reference::source() const {
    if (borrowed_) return *borrowed_;
    // In prepared letters, those that match nothing are marked already.
    return TextSource(Role::kReference, false, text().letters, starts());
}

}  // namespace gkl_shim::mem

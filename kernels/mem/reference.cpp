#include "mem/reference.h"

#include <utility>

namespace gkl_shim {
namespace mem {

Reference::Reference(bool nucleotides_only, const uint8_t *letters, const int64_t *offsets,
                     int64_t count, int threads, bool borrowed)
    : nucleotides_only_(nucleotides_only), threads_(threads), count_(count) {
    const SequenceStarts starts = {offsets, count, 1};
    // There are no letters to borrow if `letters` is null.
    if (borrowed && letters) {
        borrowed_letters_ = letters;
        borrowed_ = starts;
        return;
    }
    for (int64_t k = 0; k <= count; k++) starts_.push_back(starts[k]);
    prepared_->text.emplace(TextSource(Role::kReference, nucleotides_only, letters, starts),
                            threads);
}

Reference::Reference(const uint8_t *text, std::vector<int64_t> starts, int threads)
    : nucleotides_only_(false),
      threads_(threads),
      count_(int64_t(starts.size()) - 1),
      starts_(std::move(starts)) {
    prepared_->text.emplace(TextSource(Role::kReference, false, text, {starts_.data(), count_, 0}),
                            threads);
}

TextView Reference::text() const {
    if (borrowed_letters_)
        std::call_once(prepared_->once, [this] { prepared_->text.emplace(source(), threads_); });
    return prepared_->text->view();
}

TextSource Reference::source() const {
    const uint8_t *const letters = borrowed_letters_ ? borrowed_letters_ : text().letters;
    return TextSource(Role::kReference, nucleotides_only_, letters, starts());
}

}  // namespace mem
}  // namespace gkl_shim

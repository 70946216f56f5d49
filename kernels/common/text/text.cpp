#include "common/text/text.h"

#include "common/text/fields.h"
#include "gkl_shim_internal.h"

namespace gkl_shim {
namespace {

// Counts in vectors. Each byte has its own counter, which is added up before it can overflow.
int64_t count_newlines(const uint8_t *from, const uint8_t *to) {
    enum { kWidth = 64, kRounds = 255 };
    int64_t count = 0;
    while (to - from >= kWidth) {
        uint8_t sums[kWidth] = {};
        for (int round = 0; round < kRounds && to - from >= kWidth; round++, from += kWidth)
            for (int k = 0; k < kWidth; k++) sums[k] = uint8_t(sums[k] + (from[k] == '\n'));
        for (const uint8_t sum : sums) count += sum;
    }
    return count + std::count(from, to, uint8_t('\n'));
}

}  // namespace

Lines::Lines(const uint8_t *text, int64_t size, int threads)
    : text_(text),
      size_(size),
      threads_(threads),
      first_(size_t((size + kPiece - 1) / kPiece + 1)) {
    parallel_for_ranges(
        size, kPiece, size / kReadPerNanosecond, threads, [&](int64_t begin, int64_t end) {
            first_[size_t(begin / kPiece + 1)] = count_newlines(text + begin, text + end);
        });
    for (size_t piece = 1; piece < first_.size(); piece++) first_[piece] += first_[piece - 1];
}

const uint8_t *Lines::start(int64_t k) const {
    if (k == 0) return text_;
    // The line before it ends in this piece.
    const auto after = std::lower_bound(first_.begin(), first_.end(), k);
    const int64_t piece = after - first_.begin() - 1;
    const uint8_t *end = text_ + piece * kPiece - 1;
    for (int64_t line = first_[size_t(piece)]; line < k; line++) end = newline(end + 1);
    return end + 1;
}

}  // namespace gkl_shim

extern "C" gkl_shim_status gkl_shim_count_lines(const uint8_t *text, int64_t size, int32_t threads,
                                                int64_t *lines, int64_t *bytes) {
    using namespace gkl_shim;
    if (!lines || !bytes) return invalid("an output is null");
    *lines = *bytes = 0;
    if (!check_text(text, size, threads)) return GKL_SHIM_EINVAL;
    return guarded([&] {
        const Lines found(text, size, allowed_threads(threads));
        *lines = found.count();
        *bytes = found.start(*lines) - text;
    });
}

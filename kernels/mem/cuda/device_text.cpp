#include "mem/cuda/device_text.h"

#include <algorithm>

#include "mem/cuda/work.h"

namespace gkl_shim::mem {

// The device reads whole words, which may end after the last letter.
const int64_t kWordPadding = 8;

// Letters beside those that a match of the least length needs. A longer match is extended on the
// host.
const int64_t kMargin = int64_t(1) << 12;

int64_t letters_before(const Seeds &seeds) { return seeds.period() + kMargin; }

int64_t letters_after(int64_t min_length) {
    // More than a text ever has, but few enough to add to a position.
    return std::clamp(min_length, kMargin, INT64_MAX / 4) + kMargin;
}

void DeviceText::set_part(const Chunk &chunk, const SequenceStarts &starts, int64_t before,
                          int64_t after) {
    sequence_ = starts.sequence_at(chunk.begin);
    const int64_t last = starts.sequence_at(chunk.end - 1) + 1;
    begin_ = std::max(chunk.begin - before, starts[sequence_]);
    end_ = std::min(chunk.end + after, starts[last]);
    cut_ = end_ < starts[last];
    before_ = begin_ - starts[sequence_];
    end_bytes_ = last - sequence_ - cut_;
    starts_.assign(1, 0);
    for (int64_t sequence = sequence_ + 1; sequence < last; sequence++)
        starts_.push_back(uint32_t(starts[sequence] - begin_));
    sent_ = -1;
}

void DeviceText::make(Stream *stream, const TextSource &source, int threads) {
    const int64_t count = end_ - begin_ - (source.has_end_bytes() ? 0 : end_bytes_);
    const int64_t *const offsets = source.starts().offsets;
    // In the reverse strand, the letters before the part are the last ones of its sequence.
    const int64_t first = source.is_reversed()
                              ? offsets[sequence_ + end_bytes_ + cut_] - before_ - count
                              : offsets[sequence_] + before_;
    send(stream, source, first, count, threads);
    text_.grow(stream->driver, stream->get(), letter_bytes() + letter_bytes() * 3 / 8);
    const int64_t sequences = int64_t(starts_.size());
    TextWork work = {source_.as<const uint32_t>(),
                     sequences,
                     end_ - begin_ + cut_,
                     source_.as<const uint8_t>(sequences * 4),
                     source.has_end_bytes(),
                     source.is_reversed(),
                     source.end_byte(),
                     source.table(),
                     letters(),
                     codes(),
                     odd(),
                     letter_bytes() / 8};
    void *parameters[] = {&work};
    stream->launch(stream->kernels.make_text,
                   (letter_bytes() + kRunLetters - 1) / kRunLetters * kWarp, parameters);
}

void DeviceText::send(Stream *stream, const TextSource &source, int64_t first, int64_t count,
                      int threads) {
    if (first == sent_) return;
    const int64_t bytes = int64_t(starts_.size()) * 4;
    source_.grow(stream->driver, stream->get(), bytes + count + kWordPadding);
    sent_ = -1;  // until the transfer is complete
    Sender &sender = stream->sender;
    sender.begin(source_.address(), bytes + count + kWordPadding);
    sender.copy(reinterpret_cast<const uint8_t *>(starts_.data()), bytes, threads);
    sender.copy(source.letters() + first, count, threads);
    sender.fill(0, kWordPadding);
    sender.end();
    sent_ = first;
}

int64_t DeviceText::letter_bytes() const {
    return (end_ - begin_ + kGuard - 1) / kGuard * kGuard + 2 * kGuard;
}

TextView DeviceText::view() const {
    return {letters() + kGuard, codes() + kGuard / 4, odd() + kGuard / 8, end_ - begin_};
}

}  // namespace gkl_shim::mem

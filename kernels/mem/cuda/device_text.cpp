#include "mem/cuda/device_text.h"

#include <algorithm>

#include "mem/cuda/work.h"

namespace gkl_shim {
namespace mem {

// The letters are followed by the codes, and these by the odd bits.
void DeviceText::place(const Stream &stream, int64_t begin, int64_t end, bool cut) {
    begin_ = begin;
    end_ = end;
    cut_ = cut;
    memory_.grow(stream.driver, stream.stream, letter_bytes() + letter_bytes() * 3 / 8);
}

int64_t DeviceText::letter_bytes() const {
    return (end_ - begin_ + kAround - 1) / kAround * kAround + 2 * kAround;
}

TextView DeviceText::view() const {
    const uint8_t *const codes = letters() + letter_bytes(), *const odd =
                                                                 codes + letter_bytes() / 4;
    return {letters() + kAround, codes + kAround / 4, odd + kAround / 8, end_ - begin_};
}

void DeviceText::encode(const Stream &stream) const {
    const uint8_t *from = letters();
    int64_t words = letter_bytes() / 8;
    uint8_t *codes = letters() + letter_bytes(), *odd = codes + letter_bytes() / 4;
    void *parameters[] = {&from, &words, &codes, &odd};
    stream.launch(stream.kernels.encode_letters, words, parameters);
}

void send_reference(Stream *stream, const Text &text, int64_t begin, int64_t end, int64_t before,
                    int64_t after, int threads, DeviceText *out) {
    const int64_t first = std::max<int64_t>(begin - before, 0);
    const int64_t last = std::min(end + after, text.size());
    out->place(*stream, first, last, last < text.size());
    Sender &sender = stream->sender;
    sender.begin(reinterpret_cast<uint64_t>(out->letters()), out->letter_bytes());
    sender.fill(kReferenceEnd, kAround);
    sender.copy(text.view().letters + first, last - first, threads);
    sender.fill(kReferenceEnd, out->letter_bytes() - kAround - (last - first));
    sender.end();
    out->encode(*stream);
}

}  // namespace mem
}  // namespace gkl_shim

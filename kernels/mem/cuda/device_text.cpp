#include "mem/cuda/device_text.h"

#include "mem/cuda/work.h"

namespace gkl_shim {
namespace mem {

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
    return {letters() + kAround, codes() + kAround / 4, odd() + kAround / 8, end_ - begin_};
}

void DeviceText::encode(const Stream &stream) const {
    const uint8_t *from = letters();
    int64_t words = letter_bytes() / 8;
    uint8_t *to_codes = codes(), *to_odd = odd();
    void *parameters[] = {&from, &words, &to_codes, &to_odd};
    stream.launch(stream.kernels.encode_letters, words, parameters);
}

}  // namespace mem
}  // namespace gkl_shim

#include "mem/cuda/device_text.h"

#include <algorithm>

namespace gkl_shim {
namespace mem {
namespace {

// Readable bytes around each array. Parts begin and end at multiples of it, so that they share no
// byte of a bit array.
const int64_t kAround = 64;

int64_t rounded_up(int64_t value) { return (value + kAround - 1) / kAround * kAround; }

}  // namespace

void DeviceText::send(const CudaDriver &driver, void *stream, Sender *sender, const Text &text,
                      int64_t begin, int64_t end, int64_t before, int64_t after, uint8_t end_byte,
                      int threads) {
    const TextView from = text.view();
    origin_ = std::max<int64_t>(begin - before, 0) / kAround * kAround;
    // A text is padded with end bytes up to a multiple of kAround.
    const int64_t last = std::min(rounded_up(end + after), rounded_up(text.size()));
    const int64_t size = std::max<int64_t>(last - origin_, 0);
    cut_ = last < text.size();
    struct Array {
        const uint8_t *from;
        int64_t bytes;
        uint8_t around;
        const uint8_t **placed;
    };
    const Array arrays[] = {{from.letters + origin_, size, end_byte, &view_.letters},
                            {from.codes + origin_ / 4, size / 4, 0, &view_.codes},
                            {from.odd + origin_ / 8, size / 8, 0xFF, &view_.odd}};
    // As many bytes around each array that the next one begins at a multiple of kAround.
    const auto bytes_of = [](const Array &array) { return rounded_up(array.bytes) + 3 * kAround; };
    int64_t total = 0;
    for (const Array &array : arrays) total += bytes_of(array);
    memory_.grow(driver, stream, total);
    sender->begin(memory_.address(), total);
    uint64_t at = memory_.address();
    for (const Array &array : arrays) {
        *array.placed = reinterpret_cast<const uint8_t *>(at + kAround);
        sender->fill(array.around, kAround);
        sender->copy(array.from, array.bytes, threads);
        sender->fill(array.around, bytes_of(array) - kAround - array.bytes);
        at += uint64_t(bytes_of(array));
    }
    sender->end();
    view_.size = size;
}

}  // namespace mem
}  // namespace gkl_shim

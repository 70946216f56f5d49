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

void DeviceText::send(const CudaDriver &driver, void *stream, const Text &text, int64_t begin,
                      int64_t end, int64_t before, int64_t after, uint8_t end_byte) {
    const TextView from = text.view();
    origin_ = std::max<int64_t>(begin - before, 0) / kAround * kAround;
    // A text is padded with end bytes up to a multiple of kAround.
    const int64_t last = std::min(rounded_up(end + after), rounded_up(text.size()));
    const int64_t size = std::max<int64_t>(last - origin_, 0);
    cut_ = last < text.size();
    const int64_t letters = size, codes = size / 4, odd = size / 8;
    memory_.grow(driver, stream, letters + codes + odd + 16 * kAround);
    uint64_t at = memory_.address();
    const auto put = [&](const uint8_t *array, int64_t bytes, uint8_t around) {
        driver.fill(at, around, kAround, stream);
        if (bytes > 0) driver.send(at + kAround, array, bytes, stream);
        driver.fill(at + kAround + uint64_t(bytes), around, kAround, stream);
        const uint64_t placed = at + kAround;
        at += uint64_t(rounded_up(bytes) + 3 * kAround);
        return reinterpret_cast<const uint8_t *>(placed);
    };
    view_.letters = put(from.letters + origin_, letters, end_byte);
    view_.codes = put(from.codes + origin_ / 4, codes, 0);
    view_.odd = put(from.odd + origin_ / 8, odd, 0xFF);
    view_.size = size;
}

}  // namespace mem
}  // namespace gkl_shim

#include "prefilter/cuda/sources/device_sequences.h"

#include "common/error.h"
#include "gpu/free_in.h"

namespace gkl_shim::prefilter {

DeviceSequences::~DeviceSequences() {
    for (const auto &copy : copies_) gpu::free_in(driver_, copy->context, copy->memory);
}

DeviceSequences::Address DeviceSequences::on(const gpu::Device &device, void *stream) {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const auto &copy : copies_)
        if (copy->device == device.index) return copy->address;
    encode();
    auto copy = std::make_unique<Copy>(Copy{device.index, device.context, {}, {}});
    copies_.reserve(copies_.size() + 1);
    try {
        send(copy.get(), stream);
    } catch (...) {
        try {
            driver_.wait_for_stream(stream);  // copies may be in flight
        } catch (const CudaFailure &) {
            // The device does nothing more.
        }
        throw;
    }
    copies_.push_back(std::move(copy));
    return copies_.back()->address;
}

void DeviceSequences::encode() {
    if (!list_.letters) return;
    const int64_t words = (list_.size + 31) / 32;
    planes_.resize(size_t(3 * words));
    uint32_t *const low = planes_.data(), *const high = low + words, *const other = high + words;
    int32_t any = 0;
    check(gkl_shim_prefilter_encode(list_.letters, list_.size, threads_, low, high, other, &any));
    list_.letters = nullptr;
    list_.low = low;
    list_.high = high;
    list_.undefined = any ? other : nullptr;
}

void DeviceSequences::send(Copy *copy, void *stream) const {
    const int64_t words = (list_.size + 31) / 32;
    const auto plane = [&](const uint32_t *from) {
        return send(from, words, kPadding, copy, stream);
    };
    copy->address.planes = {plane(list_.low), plane(list_.high), plane(list_.undefined), nullptr,
                            words};
    copy->address.places = {send(list_.starts, count_, 0, copy, stream), list_.stride, 0,
                            send(list_.lengths, count_, 0, copy, stream), list_.length};
    driver_.wait_for_stream(stream);
}

// `padding`: items before and after the array, which are zero.
template <class T>
const T *DeviceSequences::send(const T *array, int64_t count, int64_t padding, Copy *copy,
                               void *stream) const {
    if (!array || count == 0) return nullptr;
    const int64_t item = sizeof(T), bytes = (count + 2 * padding) * item;
    copy->memory.push_back(std::make_unique<gpu::Memory<uint64_t>>(driver_, bytes));
    const uint64_t memory = copy->memory.back()->address();
    const uint64_t at = memory + uint64_t(padding * item), end = at + uint64_t(count * item);
    if (padding > 0) {
        driver_.fill(memory, 0, padding * item, stream);
        driver_.fill(end, 0, padding * item, stream);
    }
    driver_.send(at, array, count * item, stream);
    return reinterpret_cast<const T *>(at);
}

}  // namespace gkl_shim::prefilter

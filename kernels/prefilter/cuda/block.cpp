#include "prefilter/cuda/block.h"

#include <string.h>

#include "common/error.h"
#include "gkl_shim_internal.h"

namespace gkl_shim::prefilter {

constexpr int64_t kPaddingBytes = kPadding * int64_t(sizeof(uint32_t));
// encode() reads whole words of 32 letters.
constexpr int64_t kLettersBeyond = 32;

void Block::begin() {
    used_ = 0;
    arrays_.clear();
    letters_.clear();
    device_letters_.clear();
}

void Block::make_room() {
    pinned_.grow(driver_, stream_, used_);
    // Bands read the padding, where any value will do, but checkers want some value.
    if (device_.grow(driver_, stream_, used_)) driver_.fill(address(0), 0, device_.size(), stream_);
    begin();
}

Planes Block::put_bases(const Sequences &list, const Bases &bases, int32_t encode,
                        int64_t *origin) {
    if (!list.letters) {
        const int64_t first = bases.low / 32, words = (bases.high + 31) / 32 - first;
        *origin = 32 * first;
        return {put_plane(list.low, first, words), put_plane(list.high, first, words),
                put_plane(list.undefined, first, words), nullptr, words};
    }
    *origin = bases.low;
    const uint8_t *const letters = list.letters + bases.low;
    const int64_t count = bases.count(), words = (count + 31) / 32;
    const bool on_device = encode == GKL_SHIM_PREFILTER_CUDA_ON_DEVICE ||
                           (encode == GKL_SHIM_PREFILTER_CUDA_AUTO && driver_.is_pinned(letters));
    const uint8_t *const text =
        on_device ? reinterpret_cast<const uint8_t *>(put_bytes(letters, count)) : nullptr;
    if (on_device) used_ += kLettersBeyond;
    int64_t at[3];
    for (int64_t &plane : at) plane = reserve_plane(words);
    const int64_t any = reserve(sizeof(uint32_t));
    const Planes planes = {words_at(at[0]), words_at(at[1]), words_at(at[2]), words_at(any), words};
    if (on_device)
        device_letters_.push_back({text, count, planes});
    else
        letters_.push_back({letters, count, {at[0], at[1], at[2]}, any});
    return planes;
}

void Block::write(int threads) {
    copies_.clear();
    for (Array &array : arrays_) {
        if (driver_.is_pinned(array.from)) continue;
        copies_.push_back({pinned_.as<char>(array.at), array.from, array.bytes});
        array.from = pinned_.as<char>(array.at);
    }
    copy_all(copies_, threads);
    for (const Letters &text : letters_) encode(text, threads);
}

// A kernel looks at the plane of undefined bases only if there are any, so it is sent only then.
void Block::encode(const Letters &text, int threads) {
    uint32_t *planes[3];
    for (int k = 0; k < 3; k++) planes[k] = pinned_.as<uint32_t>(text.planes[k]);
    int32_t any = 0;
    check(gkl_shim_prefilter_encode(text.letters, text.count, threads, planes[0], planes[1],
                                    planes[2], &any));
    memcpy(pinned_.as<char>(text.any), &any, sizeof any);
    const int64_t bytes = (text.count + 31) / 32 * int64_t(sizeof(uint32_t));
    for (int k = 0; k < (any ? 3 : 2); k++) arrays_.push_back({text.planes[k], planes[k], bytes});
    arrays_.push_back({text.any, pinned_.as<char>(text.any), int64_t(sizeof any)});
}

void Block::send(const FilterKernels &kernels) {
    for (const Array &array : arrays_)
        driver_.send(address(array.at), array.from, array.bytes, stream_);
    for (const DeviceLetters &text : device_letters_) {
        driver_.fill(reinterpret_cast<uintptr_t>(text.planes.any), 0, sizeof(uint32_t), stream_);
        kernels.encode(text.letters, text.count, text.planes);
    }
}

uint64_t Block::put_bytes(const void *array, int64_t bytes) {
    const int64_t at = reserve(bytes);
    arrays_.push_back({at, array, bytes});
    return address(at);
}

const uint32_t *Block::put_plane(const uint32_t *plane, int64_t first, int64_t words) {
    if (!plane) return nullptr;
    const int64_t at = reserve_plane(words);
    arrays_.push_back({at, plane + first, words * int64_t(sizeof(uint32_t))});
    return words_at(at);
}

int64_t Block::reserve_plane(int64_t words) {
    used_ += kPaddingBytes;
    const int64_t at = reserve(words * int64_t(sizeof(uint32_t)));
    used_ += kPaddingBytes;
    return at;
}

int64_t Block::reserve(int64_t bytes) {
    const int64_t at = gpu::aligned(used_);
    used_ = at + bytes;
    return at;
}

}  // namespace gkl_shim::prefilter

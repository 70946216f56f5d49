#include "common/memory/copy.h"

#include <string.h>

#include <algorithm>

namespace gkl_shim {
namespace {

// The number of bytes that one task copies.
constexpr int64_t kSliceBytes = int64_t(1) << 19;
// The approximate speed of one thread.
constexpr int64_t kCopiedPerNanosecond = 8;

int64_t slices_of(int64_t bytes) { return (bytes + kSliceBytes - 1) / kSliceBytes; }

}  // namespace

void copy_all(const std::vector<Copy> &copies, int threads, Calls calls) {
    int64_t slices = 0, bytes = 0;
    for (const Copy &copy : copies) {
        slices += slices_of(copy.bytes);
        bytes += copy.bytes;
    }
    parallel_for(slices, bytes / kCopiedPerNanosecond, threads, calls, [&](int64_t index) {
        const Copy *copy = copies.data();
        for (; index >= slices_of(copy->bytes); copy++) index -= slices_of(copy->bytes);
        const int64_t at = index * kSliceBytes;
        memcpy(static_cast<char *>(copy->to) + at, static_cast<const char *>(copy->from) + at,
               size_t(std::min(kSliceBytes, copy->bytes - at)));
    });
}

}  // namespace gkl_shim

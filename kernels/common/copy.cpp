#include "common/copy.h"

#include <string.h>

#include <algorithm>

#include "common/thread_pool.h"

namespace gkl_shim {
namespace {

// The number of bytes that one task copies.
constexpr int64_t kPiece = int64_t(1) << 19;
// The approximate speed of one thread.
constexpr int64_t kCopiedPerNanosecond = 8;

int64_t pieces_of(int64_t bytes) { return (bytes + kPiece - 1) / kPiece; }

}  // namespace

void copy_all(const std::vector<Copy> &copies, int threads) {
    int64_t pieces = 0, bytes = 0;
    for (const Copy &copy : copies) {
        pieces += pieces_of(copy.bytes);
        bytes += copy.bytes;
    }
    parallel_for(pieces, bytes / kCopiedPerNanosecond, threads, [&](int64_t index) {
        const Copy *copy = copies.data();
        for (; index >= pieces_of(copy->bytes); copy++) index -= pieces_of(copy->bytes);
        const int64_t at = index * kPiece;
        memcpy(static_cast<char *>(copy->to) + at, static_cast<const char *>(copy->from) + at,
               size_t(std::min(kPiece, copy->bytes - at)));
    });
}

}  // namespace gkl_shim

#include "correct/cuda/staging.h"

#include <string.h>

#include <algorithm>

#include "common/thread_pool.h"

namespace gkl_shim::correct {

// Reads that one task copies.
constexpr int64_t kReadsCopied = 2048;
constexpr int64_t kBasesCopiedPerNanosecond = 4;

Cut cut_reads(const Read *reads, int64_t first, int64_t count, int64_t most, int k) {
    Cut cut = {first, 0, 0, 0};
    while (cut.end < count && (cut.end == first || cut.bases + reads[cut.end].length <= most)) {
        const int32_t length = reads[cut.end++].length;
        cut.bases += length;
        cut.kmers += std::max(length - k + 1, 0);
        cut.longest = std::max(cut.longest, length);
    }
    return cut;
}

void stage_reads(const Read *reads, int64_t count, uint32_t *offsets, uint8_t *letters,
                 uint8_t *qualities, int threads) {
    uint32_t at = 0;
    for (int64_t k = 0; k < count; k++) {
        offsets[k] = at;
        at += uint32_t(reads[k].length);
    }
    offsets[count] = at;
    const int64_t nanoseconds = int64_t(at) * (qualities ? 2 : 1) / kBasesCopiedPerNanosecond;
    parallel_for_ranges(count, kReadsCopied, nanoseconds, threads, [&](int64_t begin, int64_t end) {
        for (int64_t k = begin; k < end; k++) {
            const Read &read = reads[k];
            const size_t length = size_t(read.length);
            if (length == 0) continue;
            memcpy(letters + offsets[k], read.letters, length);
            if (!qualities) continue;
            uint8_t *const to = qualities + offsets[k];
            if (read.qualities)
                memcpy(to, read.qualities, length);
            else
                memset(to, 0, length);
        }
    });
}

}  // namespace gkl_shim::correct

#include "correct/cuda/staging.h"

#include <string.h>

#include <algorithm>

#include "common/thread_pool.h"

namespace gkl_shim::correct {

constexpr int64_t kReadNanoseconds = 4;
constexpr int64_t kBasesCopiedPerNanosecond = 4;

ReadBlocks::ReadBlocks(const Read *reads, int64_t count, int k, int threads)
    : reads_(reads), count_(count), k_(k), blocks_(size_t((count + kBlock - 1) / kBlock)) {
    parallel_for_ranges(count, kBlock, count * kReadNanoseconds, threads, Calls::kSeveral,
                        [this](int64_t begin, int64_t end) {
                            Cut &block = blocks_[size_t(begin / kBlock)];
                            for (int64_t k = begin; k < end; k++) add(reads_[k], &block);
                        });
    for (const Cut &block : blocks_) bases_ += block.bases;
}

void ReadBlocks::add(const Read &read, Cut *sums) const {
    sums->end++;
    sums->bases += read.length;
    sums->kmers += std::max(read.length - k_ + 1, 0);
    sums->longest = std::max(sums->longest, read.length);
}

Cut ReadBlocks::cut(int64_t first, int64_t most) const {
    Cut cut = {first, 0, 0, 0};
    while (cut.end < count_) {
        const Cut &block = blocks_[size_t(cut.end / kBlock)];
        const Read &read = reads_[cut.end];
        if (cut.end % kBlock == 0 && cut.bases + block.bases <= most) {
            cut = {cut.end + block.end, cut.bases + block.bases, cut.kmers + block.kmers,
                   std::max(cut.longest, block.longest)};
        } else if (cut.end == first || cut.bases + read.length <= most) {
            add(read, &cut);
        } else {
            break;
        }
    }
    return cut;
}

void ReadBlocks::stage(int64_t first, int64_t last, uint32_t *offsets, uint8_t *letters,
                       uint8_t *qualities, int threads) const {
    struct Task {
        int64_t begin, end;
        uint32_t at;
    };
    std::vector<Task> tasks;
    uint32_t bases = 0;
    for (int64_t begin = first, end = 0; begin < last; begin = end) {
        end = std::min(end_of_block(begin), last);
        tasks.push_back({begin, end, bases});
        const Cut &block = blocks_[size_t(begin / kBlock)];
        if (end - begin == block.end)
            bases += uint32_t(block.bases);
        else
            for (int64_t k = begin; k < end; k++) bases += uint32_t(reads_[k].length);
    }
    offsets[last - first] = bases;
    const int64_t nanoseconds = int64_t(bases) * (qualities ? 2 : 1) / kBasesCopiedPerNanosecond;
    parallel_for(int64_t(tasks.size()), nanoseconds, threads, Calls::kSeveral, [&](int64_t number) {
        const Task &task = tasks[size_t(number)];
        uint32_t at = task.at;
        for (int64_t k = task.begin; k < task.end; k++) {
            const Read &read = reads_[k];
            const size_t length = size_t(read.length);
            offsets[k - first] = at;
            if (length == 0) continue;
            memcpy(letters + at, read.letters, length);
            if (qualities && read.qualities)
                memcpy(qualities + at, read.qualities, length);
            else if (qualities)
                memset(qualities + at, 0, length);
            at += uint32_t(length);
        }
    });
}

}  // namespace gkl_shim::correct

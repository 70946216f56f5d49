#include "prefilter/cuda/filter_kernels.h"

#include <algorithm>

namespace gkl_shim::prefilter {
namespace {

int64_t blocks_of(int64_t threads) { return (threads + kThreads - 1) / kThreads; }

}  // namespace

int32_t Method::widest(int32_t longer) const {
    if (mode == kGlobal) return max_edits + 1;
    if (mode == kPrefix) return 2 * max_edits + 1;
    return std::max(longer, 0) + 2 * max_edits + 1;
}

void FilterKernels::encode(const uint8_t *letters, int64_t count, const Planes &planes) const {
    Planes to = planes;
    void *parameters[] = {&letters, &count, &to.low, &to.high, &to.undefined, &to.any};
    launch(kernels_.encode, blocks_of(to.words), parameters);
}

void FilterKernels::filter(const Work &given, const Widths &widths) {
    Work work = given;
    int32_t max_edits = method_.max_edits;
    uint64_t state = 0;
    void *parameters[] = {&work, &max_edits, &state};
    int64_t blocks = blocks_of(work.count);
    if (method_.gatekeeper) {
        static constexpr int32_t kLongest[] = {128, 256, 512};
        int kernel = 0;
        while (kernel < 3 && widths.longest > kLongest[kernel]) kernel++;
        launch(kernels_.estimate[kernel], blocks, parameters);
        return;
    }
    const int32_t widest = method_.widest(widths.longer);
    launch(kernels_.exact[widest > 32], blocks, parameters);
    if (widest > 64) launch(kernels_.exact_words[0], blocks, parameters);
    if (widest > 128) launch(kernels_.exact_words[1], blocks, parameters);
    if (widest > 256) {
        const int64_t block_bytes = kThreads * 8 * int64_t((widest + 31) / 32);
        blocks = std::clamp<int64_t>(method_.state_bytes / block_bytes, 1, blocks);
        state_.grow(driver_, stream_, block_bytes * blocks);
        state = state_.address();
        launch(kernels_.exact_blocks, blocks, parameters);
    }
}

void FilterKernels::launch(void *kernel, int64_t blocks, void **parameters) const {
    driver_.launch(kernel, int32_t(blocks), 1, kThreads, 0, stream_, parameters);
}

}  // namespace gkl_shim::prefilter

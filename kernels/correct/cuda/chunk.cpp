#include "correct/cuda/chunk.h"

#include <string.h>

#include <algorithm>

namespace gkl_shim::correct {

DeviceChunk::DeviceChunk(gpu::Device *device, CudaEngine *engine)
    : RangeSlot(device), engine_(*engine) {}

DeviceChunk::~DeviceChunk() { drain(); }

gkl_shim_status DeviceChunk::plan() {
    slots_ = engine_.slots(device(), call->spectrum, stream());
    const Read *const reads = call->reads;
    has_qualities_ = std::any_of(reads + range.first, reads + range.last,
                                 [](const Read &read) { return read.qualities != nullptr; });
    qualities_ = 0;
    offsets_ = gpu::aligned(has_qualities_ ? cut.bases : 0);
    // The letters end where the outcomes begin, so that both are fetched together.
    outcomes_ = gpu::aligned(offsets_ + (count() + 1) * int64_t(sizeof(uint32_t)) + cut.bases);
    letters_ = outcomes_ - cut.bases;
    planes_ = gpu::aligned(outcomes_ + count() * int64_t(sizeof(Outcome)));
    const int64_t words = cut.longest < kSharedBases
                              ? 0
                              : int64_t(plane_words(uint64_t(cut.bases), uint64_t(count())));
    pinned_.grow(driver(), stream(), planes_);
    device_.grow(driver(), stream(), planes_ + words * int64_t(sizeof(uint32_t)));
    return GKL_SHIM_OK;
}

void DeviceChunk::write() {
    call->blocks.stage(range.first, range.last, pinned_.as<uint32_t>(offsets_),
                       pinned_.as<uint8_t>(letters_),
                       has_qualities_ ? pinned_.as<uint8_t>(qualities_) : nullptr, threads);
}

void DeviceChunk::correct() {
    CorrectWork work = {slots_->view,
                        {device_.as<uint8_t>(letters_), device_.as<uint32_t>(offsets_), count()},
                        device_.as<uint8_t>(letters_),
                        has_qualities_ ? device_.as<uint8_t>(qualities_) : nullptr,
                        call->settings.limits,
                        cut.longest < kSharedBases ? nullptr : device_.as<uint32_t>(planes_),
                        device_.as<Outcome>(outcomes_)};
    const auto &kernels = engine_.hardware(device()).kernels;
    void *const kernel =
        call->settings.method == kVoting ? kernels.vote_reads : kernels.search_reads;
    const int64_t blocks = std::min((count() + kWarps - 1) / kWarps, kMaxBlocks);
    void *parameters[] = {&work};
    driver().launch(kernel, int32_t(blocks), 1, kThreads,
                    kWarps * kSharedWords * int32_t(sizeof(uint32_t)), stream(), parameters);
}

void DeviceChunk::launch() {
    driver().send(device_.address(), pinned_.address(), outcomes_, stream());
    correct();
    driver().fetch(pinned_.as<uint8_t>(letters_), device_.address() + uint64_t(letters_),
                   cut.bases + count() * int64_t(sizeof(Outcome)), stream());
}

void DeviceChunk::collect() {
    slots_.reset();
    const Outcome *const outcomes = pinned_.as<Outcome>(outcomes_);
    const uint32_t *const offsets = pinned_.as<uint32_t>(offsets_);
    const uint8_t *const letters = pinned_.as<uint8_t>(letters_);
    memcpy(call->outcomes + range.first, outcomes, size_t(count()) * sizeof(Outcome));
    for (int64_t k = 0; k < count(); k++) {
        const Read &read = call->reads[range.first + k];
        if (outcomes[k].changes > 0)
            memcpy(read.letters, letters + offsets[k], size_t(read.length));
    }
}

int64_t ChunkQueue::cut(const gpu::Range &left, gpu::RangeSlot *slot, int32_t threads) {
    DeviceChunk &chunk = *static_cast<DeviceChunk *>(slot);
    chunk.call = &reads_;
    chunk.threads = threads;
    chunk.cut = reads_.blocks.cut(left.first, chunk_bases_);
    bases_left_ -= chunk.cut.bases;
    return chunk.cut.end;
}

}  // namespace gkl_shim::correct

// One chunk of reads that a device corrects: its memory, its kernel and its results.
#pragma once

#include <stdint.h>

#include <memory>

#include "correct/cuda/engine.h"
#include "correct/cuda/staging.h"
#include "correct/cuda/work.h"
#include "gpu/ranges.h"

namespace gkl_shim::correct {

// A call's reads.
struct CorrectCall {
    const Settings &settings;
    const Spectrum &spectrum;
    const Read *reads;
    const ReadBlocks &blocks;
    Outcome *outcomes;
};

// Some of a call's reads on a device: their memory, and the kernel that corrects them.
class DeviceChunk : public gpu::RangeSlot {
   public:
    DeviceChunk(gpu::Device *device, CudaEngine *engine);
    ~DeviceChunk() override;

    // Set by the queue.
    const CorrectCall *call = nullptr;
    Cut cut = {};
    int threads = 1;

    void collect() override;
    // Frees the spectrum's memory, unless others use it.
    void lose() override { slots_.reset(); }

   protected:
    gkl_shim_status plan() override;
    void write() override;
    void launch() override;

   private:
    // Launches the kernel, between the transfers of reads and results.
    void correct();

    int64_t count() const { return range.count(); }

    CudaEngine &engine_;
    std::shared_ptr<const DeviceSlots> slots_;
    // Places in the pinned memory, which are the same in device memory. The planes are on the
    // device alone.
    bool has_qualities_ = false;
    int64_t qualities_ = 0, offsets_ = 0, letters_ = 0, outcomes_ = 0, planes_ = 0;
    gpu::KeptMemory<void *> pinned_;
    gpu::KeptMemory<uint64_t> device_;
};

// Cuts a call into chunks.
class ChunkQueue : public gpu::RangeQueue {
   public:
    ChunkQueue(gpu::Call *call, const CorrectCall &reads, int64_t count, int64_t chunk_bases)
        : RangeQueue(call, {0, count}),
          reads_(reads),
          bases_left_(reads.blocks.bases()),
          chunk_bases_(chunk_bases) {}

    int64_t chunks_left() const override { return bases_left_ / chunk_bases_ + 1; }

   protected:
    int64_t cut(const gpu::Range &left, gpu::RangeSlot *slot, int32_t threads) override;

   private:
    const CorrectCall &reads_;
    int64_t bases_left_;
    const int64_t chunk_bases_;
};

}  // namespace gkl_shim::correct

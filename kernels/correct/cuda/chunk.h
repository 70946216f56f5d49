// One chunk of reads that a device corrects: its memory, its kernel and its results.
#pragma once

#include <stdint.h>

#include <memory>
#include <mutex>
#include <vector>

#include "correct/cuda/engine.h"
#include "correct/cuda/staging.h"
#include "correct/cuda/work.h"
#include "gpu/launch_threads.h"

namespace gkl_shim {
namespace correct {

// A call's reads.
struct CorrectCall {
    const Settings &settings;
    const Spectrum &spectrum;
    const Read *reads;
    int64_t count;
    Outcome *outcomes;
};

// Some of a call's reads on a device: their memory, and the kernel that corrects them.
class DeviceChunk : public gpu::Slot {
   public:
    DeviceChunk(gpu::Device *device, Engine *engine);
    ~DeviceChunk() override;

    // Set by the queue.
    const CorrectCall *call = nullptr;
    int64_t first = 0;
    Cut cut = {};
    int threads = 1;

    // Puts the results into their places.
    void collect();
    // The device will not correct it. Frees the spectrum's memory, unless others use it.
    void lose() { slots_.reset(); }

   protected:
    gkl_shim_status plan() override;
    void write() override;
    void launch() override;

   private:
    // The steps of launch() before it fetches the results: sends the reads, and corrects them.
    void send();
    void correct();

    int64_t count() const { return cut.end - first; }
    template <class T>
    T *pinned(int64_t at) const {
        return reinterpret_cast<T *>(static_cast<uint8_t *>(pinned_.address()) + at);
    }
    template <class T>
    T *on_device(int64_t at) const {
        return reinterpret_cast<T *>(device_.address() + uint64_t(at));
    }

    Engine &engine_;
    std::shared_ptr<const DeviceSlots> slots_;
    // Places in the pinned memory, which are the same in device memory. The planes are on the
    // device alone.
    bool has_qualities_ = false;
    int64_t qualities_ = 0, offsets_ = 0, letters_ = 0, outcomes_ = 0, planes_ = 0;
    gpu::KeptMemory<void *> pinned_;
    gpu::KeptMemory<uint64_t> device_;
};

// Cuts a call into chunks, and keeps those that no device has corrected.
class ChunkQueue : public gpu::Queue {
   public:
    ChunkQueue(gpu::Call *call, const CorrectCall &reads, int64_t bases, int64_t chunk_bases)
        : Queue(call), reads_(reads), bases_left_(bases), chunk_bases_(chunk_bases) {
        has_more_ = reads_.count > 0;
    }

    int64_t chunks_left() const override { return bases_left_ / chunk_bases_ + 1; }

    void add_undone(int64_t first, int64_t last) {
        const std::lock_guard<std::mutex> lock(mutex_);
        undone_.emplace_back(first, last);
    }
    // No device is left.
    void give_up() {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (has_more_) undone_.emplace_back(next_, reads_.count);
        has_more_ = false;
    }
    // Begins and ends of reads that no device has corrected.
    const std::vector<std::pair<int64_t, int64_t>> &undone() const { return undone_; }

   protected:
    bool next(gpu::Slot *slot, int32_t threads) override;

   private:
    const CorrectCall &reads_;
    int64_t next_ = 0, bases_left_;
    const int64_t chunk_bases_;
    std::vector<std::pair<int64_t, int64_t>> undone_;
};

// What a launch thread does with the chunks of a queue.
class ChunkWork : public gpu::OneQueueWork<ChunkQueue> {
   public:
    using OneQueueWork::OneQueueWork;

    void collect(gpu::Slot *slot) override { static_cast<DeviceChunk *>(slot)->collect(); }
    void lose(gpu::Slot *slot) override {
        DeviceChunk &chunk = *static_cast<DeviceChunk *>(slot);
        chunk.lose();
        queue_.add_undone(chunk.first, chunk.cut.end);
    }
};

}  // namespace correct
}  // namespace gkl_shim

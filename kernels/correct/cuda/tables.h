// The tables in which one device counts k-mers.
#pragma once

#include <stdint.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "correct/cuda/engine.h"
#include "correct/cuda/staging.h"
#include "correct/cuda/work.h"
#include "correct/spectrum/counter.h"
#include "correct/spectrum/mapped.h"

namespace gkl_shim::correct {

// A table for each partition. The device's context is current in all calls.
class DeviceTables {
   public:
    // Bases of a chunk, about.
    static constexpr int64_t kMaxChunkBases = int64_t(1) << 24;

    // `partitions`: those to count. `memory_bytes`: the most that the tables may take. `kmers`:
    // about how many the first chunks have.
    DeviceTables(CudaEngine *engine, gpu::Device *device, int k, std::vector<int> partitions,
                 int64_t memory_bytes, int64_t kmers);
    ~DeviceTables();
    DeviceTables(const DeviceTables &) = delete;

    gpu::Device &device() const { return device_; }
    // The most bases of a chunk.
    int64_t chunk_bases() const;

    void *stream(int stage) const { return streams_[stage].get(); }
    // Waits until a stage's memory may be used again.
    void wait(int stage) const { driver_.wait_for_stream(stream(stage)); }
    void wait_for_all() const {
        for (int stage = 0; stage < CudaEngine::kStages; stage++) wait(stage);
    }
    // Counts the reads that are staged in pinned memory: offsets, then letters.
    void count(int stage, const Cut &cut, int64_t reads, int64_t letters_at);

    // Makes the histogram of all counts, which histogram() returns afterwards.
    void finish();
    const Histogram &histogram() const { return histogram_; }
    // The number of tables that are in it: those that did not lack room.
    int64_t finished() const { return std::count(overflowed_.begin(), overflowed_.end(), 0u); }
    // After finish(): puts the k-mers of each counted partition that occur at least `from` times
    // into `kept`, and marks the counted partitions.
    void fetch(uint64_t from, std::vector<Kept> *kept, std::vector<bool> *counted);

   private:
    // Where small arrays lie in a block of device memory.
    enum {
        kNumbers = 0,
        kOverflowed = kNumbers + 2 * kPartitions,
        kKept = kOverflowed + 4 * kPartitions,
        kHistogram = kKept + 4 * kPartitions,
        kUsed = kHistogram + 8 * (int(kMaxCount) + 1),
        kSmall = kUsed + 8
    };
    int64_t tables() const { return int64_t(partitions_.size()); }
    // The entries of each of some tables that hold this number of k-mers together.
    static int64_t size_for(int64_t kmers, int64_t tables);
    // The most k-mers that the tables may hold together.
    int64_t room() const;
    // Waits for copies from pinned memory, which others use again, and for kernels.
    void finish_streams() const;
    void make(int64_t kmers);
    void make_room(int64_t kmers);
    void allocate(int64_t size);
    Tables view() const;
    void launch(void *kernel, int64_t blocks, int32_t threads, int32_t shared_words,
                void **parameters, void *stream) const;

    CudaEngine &engine_;
    gpu::Device &device_;
    const CudaDriver &driver_;
    const int k_;
    const int64_t max_entries_;
    std::vector<int> partitions_;
    int64_t size_ = 0;   // entries of a table
    int64_t bound_ = 0;  // the k-mers in the tables are at most this many
    const gpu::Stream streams_[CudaEngine::kStages] = {driver_, driver_, driver_};
    const gpu::Memory<uint64_t> small_;
    std::unique_ptr<gpu::Memory<uint64_t>> entries_;
    gpu::KeptMemory<uint64_t> reads_[CudaEngine::kStages];
    // Of each table, after finish(): whether it lacked room, and the entries that it has left.
    std::vector<uint32_t> overflowed_, left_;
    Histogram histogram_;
};

}  // namespace gkl_shim::correct

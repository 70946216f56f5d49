// Counts k-mers on devices.
//
// The partitions are divided among the devices. Each device has a table for each of its partitions
// and gets all reads. If the tables outgrow its memory, it drops the last half of them. The dropped
// partitions, those of a device that fails, and those whose table overflows are counted in another
// pass over the reads. If no device can count them, the CPU counts everything.
#pragma once

#include <stdint.h>

#include <memory>
#include <vector>

#include "correct/cuda/engine.h"
#include "correct/cuda/tables.h"
#include "correct/spectrum/counter.h"

namespace gkl_shim::correct {

class DeviceCounter : public Counter {
   public:
    DeviceCounter(CudaEngine *engine, int k, int64_t memory_bytes, int least);
    ~DeviceCounter() override;

    void count(const Read *reads, int64_t count) override;
    bool end_pass() override;

    // Whether devices count; otherwise the CPU does.
    bool on_devices() const { return !cpu_; }

   private:
    void open_pass(int64_t kmers);
    // Does work with each device that is left. One that fails is not used again.
    template <class Work>
    void on_each(Work work);
    void close(std::unique_ptr<DeviceTables> *tables) const;
    void close_all();

    CudaEngine &engine_;
    const int64_t memory_bytes_;
    bool open_ = false;
    int64_t chunk_bases_ = 0;
    std::vector<std::unique_ptr<DeviceTables>> devices_;
    std::vector<bool> counted_;
    std::unique_ptr<Counter> cpu_;
};

}  // namespace gkl_shim::correct

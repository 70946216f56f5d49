// The devices of an engine, and their slots: one for each chunk in flight.
#pragma once

#include <stdint.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <vector>

#include "common/error.h"
#include "gpu/driver.h"
#include "gpu/stream.h"

namespace gkl_shim::gpu {

class Device;
class Queue;

// A chunk needs more memory than a device has for all chunks.
struct TooLarge {};

// A stream and the memory of one chunk at a time. A queue puts a chunk in, and the slot plans it,
// writes it and launches its kernels. An algorithm derives from this class: it supplies these steps
// and the memory.
class Slot {
   public:
    // The device's context is current, here and in the destructor.
    explicit Slot(Device *device);
    virtual ~Slot() = default;
    Slot(const Slot &) = delete;

    Device &device() const { return device_; }
    void *stream() const { return stream_.get(); }

    // How many other chunks were in flight on the device when this slot was handed out.
    int32_t chunks_in_flight = 0;
    // The queue that the chunk is from.
    std::shared_ptr<Queue> queue;

    // Plans the chunk, writes it to pinned memory and launches its kernels. make_room() is called
    // once the chunk is planned. Any status but GKL_SHIM_OK is from plan(), which sets the last
    // error.
    gkl_shim_status start(const std::function<void()> &make_room = [] {});

    // Whether the kernels' results are there.
    virtual bool has_results() { return driver_.is_done(stream()); }

    // Waits for the results.
    void wait();

    // Once the results are there: launches further kernels that they call for. True: the results
    // have to be waited for again. False: the chunk is done.
    virtual bool launch_more() { return false; }

    // Waits until the device no longer uses memory for the chunk, also if the chunk has failed.
    void drain() const;

   protected:
    // For algorithms whose devices have a limit: returns the device memory that the slot has once
    // the planned chunk is written.
    virtual int64_t device_bytes() const { return 0; }
    // Frees all device memory of the slot.
    virtual void free_device_memory() noexcept {}

    // Plans the chunk.
    virtual gkl_shim_status plan() = 0;
    // Whether the planned chunk has nothing for the device to compute.
    virtual bool is_empty() const { return false; }
    // Writes the planned chunk to pinned memory.
    virtual void write() = 0;
    // Sends the chunk to the device and launches its kernels, on the slot's stream.
    virtual void launch() = 0;

    const CudaDriver &driver() const { return driver_; }

   private:
    friend class Device;
    friend class Devices;

    Device &device_;
    const CudaDriver &driver_;
    const Stream stream_;
    const Event end_;       // what wait() waits for
    int64_t reserved_ = 0;  // of the device's memory
};

// Makes an algorithm's slot on a device.
typedef std::function<std::unique_ptr<Slot>(Device *)> SlotMaker;

// One device of an engine: its context, its slots, and the failure that took it out of use.
class Device {
   public:
    // `index`: its place among the engine's devices. `number`: the driver's, for messages.
    // `memory_bytes`: of all slots together.
    Device(const CudaDriver &driver, size_t index, int32_t number, void *context,
           int64_t memory_bytes);
    ~Device();

    const CudaDriver &driver;
    const size_t index;
    const int32_t number;
    void *const context;
    const int64_t memory_bytes;

    bool alive() const { return alive_; }

   private:
    friend class Devices;

    // These are called with the lock of Devices held.
    bool has_room(int32_t most) const {
        return !free_slots_.empty() || int64_t(slots_.size()) < int64_t(most);
    }
    size_t busy() const { return slots_.size() - free_slots_.size(); }
    Slot *take_slot(const SlotMaker &make);
    // Reserves device memory for a slot's chunk, if need be after freeing the memory of idle slots.
    bool reserve(Slot *slot);
    void free_memory(Slot *slot);
    void retire(const ShortText &reason);

    // Returns the failure that took the device out of use, to the first caller alone. Null
    // otherwise.
    const char *take_loss() {
        return loss_is_new_ && loss_is_new_.exchange(false) ? loss_ : nullptr;
    }

    std::vector<std::unique_ptr<Slot>> slots_;
    std::vector<Slot *> free_slots_;
    int64_t reserved_ = 0;                         // by all slots
    uint64_t next_waiter_ = 0, first_waiter_ = 0;  // threads that wait for memory, in order
    ShortText loss_;
    std::atomic<bool> alive_{true}, loss_is_new_{false};
};

// All devices of an engine. Calls take slots for their chunks from it. A device that fails once is
// not used again, because the cause is seldom known.
class Devices {
   public:
    // `max_slots`: of a device.
    Devices(const CudaDriver &driver, int32_t max_slots, SlotMaker make_slot)
        : driver_(driver), max_slots_(max_slots), make_slot_(std::move(make_slot)) {}

    // `memory_bytes`: the most device memory of all chunks together.
    void add(int32_t number, void *context,
             int64_t memory_bytes = std::numeric_limits<int64_t>::max()) {
        devices_.push_back(
            std::make_unique<Device>(driver_, devices_.size(), number, context, memory_bytes));
    }

    size_t count() const { return devices_.size(); }
    Device &operator[](size_t k) { return *devices_[k]; }

    // Whether the device of that number is in use; for -1: whether any is.
    bool uses(int32_t number) const;

    // Whether a device is left for which suits(device) is true.
    template <class Suits>
    bool any(Suits suits) const {
        for (const auto &device : devices_)
            if (device->alive() && suits(*device)) return true;
        return false;
    }
    bool any_for(const Queue &queue) const;

    // Returns a slot on the device with the fewest chunks in flight, of those that suit the queue.
    // Null if no such device is left, or if all slots are taken and the caller does not wait.
    Slot *take_slot(const Queue &queue, bool wait);

    void release(Slot *slot);

    // Reserves device memory for a slot's planned chunk. False: other chunks in flight leave too
    // little. With `wait`, waits for them. The thread must then have no chunk in flight itself.
    // Throws TooLarge if the memory does not suffice for the chunk alone. The device's context is
    // current.
    bool reserve(Slot *slot, bool wait);

    // Takes a device out of use after a failure. Chunks in flight on it may still be completed.
    void retire(Device *device, const CudaFailure &failure);

    // Returns the failure that took a device out of use, and sets the device's number. Each
    // failure is returned once. Null if there is no other.
    const char *next_loss(int32_t *number);

   private:
    const CudaDriver &driver_;
    const int32_t max_slots_;
    const SlotMaker make_slot_;
    std::vector<std::unique_ptr<Device>> devices_;
    std::mutex mutex_;
    std::condition_variable slots_changed_;
};

}  // namespace gkl_shim::gpu

#include "gpu/devices.h"

#include <string.h>

#include <chrono>
#include <utility>

#include "common/thread_pool.h"
#include "gpu/free_in.h"
#include "gpu/launch_threads.h"

namespace gkl_shim::gpu {

typedef std::chrono::steady_clock Clock;

// Spin this long, then block on the event: waking up takes some 20 us.
constexpr std::chrono::microseconds kSpin(200);

Slot::Slot(Device *device)
    : device_(*device), driver_(device->driver), stream_(driver_), end_(driver_, kEventBlocking) {}

gkl_shim_status Slot::start(const std::function<void()> &make_room) {
    const gkl_shim_status status = plan();
    if (status != GKL_SHIM_OK || is_empty()) return status;
    make_room();
    write();
    launch();
    return GKL_SHIM_OK;
}

void Slot::wait() {
    const Clock::time_point end = Clock::now() + kSpin;
    do {
        for (int k = 0; k < 64; k++) {
            if (has_results()) return;
            relax();
        }
    } while (Clock::now() < end);
    driver_.record(end_.get(), stream());
    driver_.wait_for_event(end_.get());
}

void Slot::drain() const {
    try {
        const CudaContext current(driver_, device_.context);
        stream_.finish();
    } catch (const CudaFailure &) {
        // A device that has failed does nothing more.
    }
}

Device::Device(const CudaDriver &driver, size_t index, int32_t number, void *context,
               int64_t memory_bytes)
    : driver(driver), index(index), number(number), context(context), memory_bytes(memory_bytes) {}

Device::~Device() { free_in(driver, context, slots_); }

Slot *Device::take_slot(const SlotMaker &make) {
    if (!free_slots_.empty()) {
        Slot *const slot = free_slots_.back();
        free_slots_.pop_back();
        return slot;
    }
    free_slots_.reserve(slots_.size() + 1);
    const CudaContext current(driver, context);
    slots_.push_back(make(this));
    return slots_.back().get();
}

bool Device::reserve(Slot *slot) {
    const int64_t need = slot->device_bytes();
    for (Slot *idle : free_slots_) {
        if (reserved_ - slot->reserved_ <= memory_bytes - need) break;
        free_memory(idle);
    }
    if (reserved_ - slot->reserved_ > memory_bytes - need) return false;
    reserved_ += need - std::exchange(slot->reserved_, need);
    return true;
}

void Device::free_memory(Slot *slot) {
    if (slot->reserved_ == 0) return;
    slot->free_device_memory();
    reserved_ -= std::exchange(slot->reserved_, 0);
}

void Device::retire(const ShortText &reason) {
    if (!alive_) return;
    memcpy(loss_, reason, sizeof loss_);
    loss_is_new_ = true;
    alive_ = false;
}

bool Devices::uses(int32_t number) const {
    return any([number](const Device &device) { return number == -1 || device.number == number; });
}

bool Devices::any_for(const Queue &queue) const {
    return any([&](const Device &device) { return queue.suits(device); });
}

Slot *Devices::take_slot(const Queue &queue, bool wait) {
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
        bool any = false;
        Device *best = nullptr;
        for (const auto &device : devices_) {
            if (!device->alive() || !queue.suits(*device)) continue;
            any = true;
            if (device->has_room(max_slots_) && (!best || device->busy() < best->busy()))
                best = device.get();
        }
        if (best) {
            try {
                Slot *const slot = best->take_slot(make_slot_);
                slot->chunks_in_flight = int32_t(best->busy()) - 1;
                return slot;
            } catch (const CudaFailure &failure) {
                best->retire(failure.reason);
                slots_changed_.notify_all();
                continue;
            }
        }
        if (!any || !wait) return nullptr;
        slots_changed_.wait(lock);
    }
}

void Devices::release(Slot *slot) {
    const std::lock_guard<std::mutex> lock(mutex_);
    slot->device().free_slots_.push_back(slot);
    slots_changed_.notify_all();  // not every waiter can use every device
}

bool Devices::reserve(Slot *slot, bool wait) {
    // Nobody else changes what a slot in use has reserved.
    if (slot->device_bytes() <= slot->reserved_) return true;
    Device &device = slot->device();
    std::unique_lock<std::mutex> lock(mutex_);
    // In turn: otherwise small chunks could keep a large one waiting for ever.
    const bool in_turn = device.first_waiter_ == device.next_waiter_;
    if (in_turn && device.reserve(slot)) return true;
    if (!wait) return false;
    // Threads that wait hold no memory, so every chunk in flight gets done.
    device.free_memory(slot);
    if (slot->device_bytes() > device.memory_bytes) throw TooLarge();
    const uint64_t turn = device.next_waiter_++;
    slots_changed_.notify_all();
    slots_changed_.wait(lock, [&] { return turn == device.first_waiter_ && device.reserve(slot); });
    device.first_waiter_++;
    slots_changed_.notify_all();
    return true;
}

void Devices::retire(Device *device, const CudaFailure &failure) {
    const std::lock_guard<std::mutex> lock(mutex_);
    device->retire(failure.reason);
    slots_changed_.notify_all();
}

const char *Devices::next_loss(int32_t *number) {
    for (const auto &device : devices_)
        if (const char *reason = device->take_loss()) {
            *number = device->number;
            return reason;
        }
    return nullptr;
}

}  // namespace gkl_shim::gpu

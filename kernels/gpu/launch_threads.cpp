#include "gpu/launch_threads.h"

#include <algorithm>

#include "common/interrupt.h"

namespace gkl_shim::gpu {

bool LaunchThread::launch_next(int32_t threads, bool wait) {
    const Uninterrupted has_a_slot;
    bool launched = false;
    call_.attempt([&] {
        const std::shared_ptr<Queue> queue = work_.next_queue();
        if (!queue) return;
        in_flight_.reserve(most_in_flight_);
        if (Slot *const slot = devices_.take_slot(*queue, wait)) {
            slot->queue = queue;
            launched = launch(slot, slot->chunks_in_flight > 0 ? 1 : threads);
        } else if (!devices_.any_for(*queue)) {
            work_.no_device_for(queue.get());
        }
    });
    return launched;
}

void LaunchThread::finish() {
    while (!call_.failed()) {
        ask();
        const Uninterrupted has_slots;
        const bool idle = in_flight_.empty();
        if (work_.too_much_for_cpu())
            work_.compute_all_on_cpu();
        else if (in_flight_.size() < most_in_flight_ &&
                 launch_next(1, idle && !work_.any_for_cpu()))
            continue;
        else if (idle && !work_.any_left())
            break;
        // launch_next() may have collected what was in flight.
        else if (in_flight_.empty() || !collect_first(!work_.any_for_cpu()))
            work_.compute_some_on_cpu();
    }
    collect_all();
}

// Asks whether the call shall end. The answer may take another call, which needs slots and device
// memory, so this thread gives up its own before.
void LaunchThread::ask() {
    if (!interrupt_is_due()) return;
    collect_all();
    call_.attempt(check_interrupt);
}

bool LaunchThread::launch(Slot *slot, int32_t threads) {
    const Device &device = slot->device();
    bool launched = false;
    try {
        if (slot->queue->fill(slot, threads)) {
            const CudaContext current(device.driver, device.context);
            const gkl_shim_status status = slot->start([&] { make_room(slot); });
            launched = status == GKL_SHIM_OK;
            if (!launched) call_.fail(status);
        }
    } catch (const TooLarge &) {
        call_.attempt([&] { work_.lose(slot); });
    } catch (const CudaFailure &failure) {
        lose(slot, failure);
    } catch (...) {
        call_.fail(status_of_exception());
        slot->drain();
    }
    if (launched)
        in_flight_.push_back(slot);
    else
        release(slot);
    return launched;
}

// Waits until the device has memory for a chunk: first for this thread's chunks, then for others'.
void LaunchThread::make_room(Slot *slot) {
    while (!devices_.reserve(slot, in_flight_.empty())) collect_first(true);
}

// Collects the results of the oldest chunk, or goes on with it. False: it is still in flight, and
// the caller does not wait.
bool LaunchThread::collect_first(bool wait) {
    Slot *const slot = in_flight_.front();
    const Device &device = slot->device();
    try {
        {
            const CudaContext current(device.driver, device.context);
            if (!wait && !slot->has_results()) return false;
            slot->wait();
            if (slot->launch_more()) {
                std::rotate(in_flight_.begin(), in_flight_.begin() + 1, in_flight_.end());
                return true;
            }
        }
        work_.collect(slot);
    } catch (const CudaFailure &failure) {
        lose(slot, failure);
    } catch (...) {
        call_.fail(status_of_exception());
        slot->drain();
    }
    in_flight_.erase(in_flight_.begin());
    release(slot);
    return true;
}

void LaunchThread::collect_all() {
    const Uninterrupted has_slots;
    while (!in_flight_.empty()) collect_first(true);
}

void LaunchThread::lose(Slot *slot, const CudaFailure &failure) {
    devices_.retire(&slot->device(), failure);
    // Copies may be in flight from and to the caller's memory, and the results are computed anew.
    slot->drain();
    call_.attempt([&] { work_.lose(slot); });
}

void LaunchThread::release(Slot *slot) {
    slot->queue.reset();
    devices_.release(slot);
}

}  // namespace gkl_shim::gpu

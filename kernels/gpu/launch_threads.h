// The queue of a call's chunks, and the threads that launch them on the devices.
#pragma once

#include <stdint.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "common/thread_pool.h"
#include "gpu/call.h"
#include "gpu/devices.h"

namespace gkl_shim::gpu {

// The chunks of a call's input. The launch threads of all devices take one after another. An
// algorithm derives from this class: it supplies next(), which cuts the input.
class Queue {
   public:
    explicit Queue(Call *call) : call_(*call) {}
    virtual ~Queue() = default;
    Queue(const Queue &) = delete;

    // Whether a device may compute its chunks.
    virtual bool suits(const Device &) const { return true; }

    // About how many chunks are left, once one has been taken.
    virtual int64_t chunks_left() const = 0;

    bool more() const { return has_more_ && !call_.failed(); }

    // Fills a slot with the next chunk, to be planned by `threads` threads. False: none is left.
    bool fill(Slot *slot, int32_t threads) {
        const std::lock_guard<std::mutex> lock(mutex_);
        bool taken = false;
        while (!taken && more()) taken = next(slot, threads);
        return taken;
    }

   protected:
    // Called under the lock: puts the next chunk into a slot. False: the input up to here had
    // nothing to compute, or the call has failed.
    virtual bool next(Slot *slot, int32_t threads) = 0;

    Call &call() const { return call_; }

    std::mutex mutex_;
    std::atomic<bool> has_more_{false};

   private:
    Call &call_;
};

// The tasks of one launch thread beside launching. An algorithm derives from this class: it says
// what to launch next, collects results, and may have work for the CPU in between.
class Work {
   public:
    virtual ~Work() = default;

    // The queue of the next chunk; null if none can be launched now.
    virtual std::shared_ptr<Queue> next_queue() = 0;
    // Whether next_queue() may return a queue, now or once chunks in flight have been collected.
    virtual bool any_left() const = 0;
    // No device is left for this queue, which next_queue() has returned.
    virtual void no_device_for(Queue *queue) = 0;

    // Puts a chunk's results where they belong.
    virtual void collect(Slot *slot) = 0;
    // The device has failed before the chunk was done, or has too little memory for it.
    virtual void lose(Slot *slot) = 0;

    // Work for the CPU, of all launch threads together.
    virtual bool any_for_cpu() const { return false; }
    // Whether that work has grown so large that launching has to wait for it.
    virtual bool too_much_for_cpu() const { return false; }
    // Does a little of it, if there is any.
    virtual void compute_some_on_cpu() {}
    // Does all of it, on all threads.
    virtual void compute_all_on_cpu() {}
};

// A loop that keeps several chunks of a call in flight, on any devices, until all work is done or
// no device is left. While it waits for a chunk, it does work for the CPU.
class LaunchThread {
   public:
    // `most`: chunks in flight.
    LaunchThread(Devices *devices, Call *call, Work *work, size_t most)
        : devices_(*devices), call_(*call), work_(*work), most_in_flight_(most) {}
    ~LaunchThread() { collect_all(); }
    LaunchThread(const LaunchThread &) = delete;

    // Launches the next chunk. If the device is idle, `threads` threads plan it, else one does.
    // Waits for a free slot only if told to. False: no chunk was launched.
    bool launch_next(int32_t threads, bool wait);

    // Launches and collects until no chunk is left or all devices have failed. There may be work
    // for the CPU left then.
    void finish();

   private:
    void ask();
    bool launch(Slot *slot, int32_t threads);
    void make_room(Slot *slot);
    bool collect_first(bool wait);
    void collect_all();
    void lose(Slot *slot, const CudaFailure &failure);
    void release(Slot *slot);

    Devices &devices_;
    Call &call_;
    Work &work_;
    const size_t most_in_flight_;
    std::vector<Slot *> in_flight_;  // the oldest first
};

struct LaunchLimits {
    int32_t launch_threads;
    size_t chunks_per_thread;   // in flight
    int32_t planning_threads;   // for the first chunk
    int64_t chunk_nanoseconds;  // about what a chunk takes one launch thread
};

// Computes a queue's chunks on several launch threads. make_work() returns each one's Work.
//
// All threads plan the first chunk together, so that a device has work soon. From then on each
// plans its own chunks, so that no thread has to be woken or waited for.
template <class MakeWork>
void compute_on_devices(Devices *devices, Call *call, const Queue &queue,
                        const LaunchLimits &limits, const MakeWork &make_work) {
    auto first_work = make_work();
    LaunchThread first(devices, call, &first_work, limits.chunks_per_thread);
    first.launch_next(limits.planning_threads, true);
    if (!queue.more() || !devices->any_for(queue)) {
        first.finish();
        return;
    }
    parallel_for(limits.launch_threads, queue.chunks_left() * limits.chunk_nanoseconds,
                 limits.launch_threads, [&](int64_t k) {
                     if (k == 0) {
                         first.finish();
                     } else {
                         auto work = make_work();
                         LaunchThread(devices, call, &work, limits.chunks_per_thread).finish();
                     }
                 });
}

}  // namespace gkl_shim::gpu

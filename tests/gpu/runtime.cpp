// The GPU runtime with a small algorithm, which squares numbers, and a driver without a GPU.
//
//     runtime NUMBERS CHUNK DEVICES SLOTS THREADS IN_FLIGHT FAILING AFTER MEMORY
//
// Device FAILING fails once it has launched AFTER chunks; -1: none does; -2: all do. MEMORY is the
// limit on each device's memory in bytes. Prints a line for each fact: chunks launched by each
// device, numbers that the CPU squared, the most chunks that were in flight on a device, the most
// memory that was allocated on it, losses, and whatever is wrong.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "gpu/call.h"
#include "gpu/devices.h"
#include "gpu/driver.h"
#include "gpu/kept_memory.h"
#include "gpu/launch_threads.h"

namespace {

using namespace gkl_shim;

enum { kMaxDevices = 8, kLost = 719 };

// The driver. A stream does its work when somebody asks for it the second time.
int failing, failing_after;
std::atomic<int> launched[kMaxDevices], in_flight[kMaxDevices], most_in_flight[kMaxDevices];
std::atomic<int> live{0}, allocations{0}, contexts{0}, errors{0};
std::atomic<int64_t> memory[kMaxDevices], most_memory[kMaxDevices];
thread_local int device_of_thread = -1;
thread_local std::vector<int> devices_before;

void wrong(const char *what) {
    errors++;
    printf("wrong: %s\n", what);
}

struct Stream {
    const int64_t *from = nullptr;
    int64_t *to = nullptr;
    int64_t count = 0;
    int device = -1, asked = 0;
    bool busy = false;
};

// Takes long enough that other launch threads have their share.
void finish(Stream *stream) {
    if (!stream->busy) return;
    usleep(200);
    for (int64_t k = 0; k < stream->count; k++) stream->to[k] = stream->from[k] * stream->from[k];
    stream->busy = false;
    in_flight[stream->device]--;
}

int32_t push(void *context) {
    contexts++;
    devices_before.push_back(device_of_thread);
    device_of_thread = int(reinterpret_cast<intptr_t>(context)) - 1;
    return 0;
}
int32_t pop(void **) {
    contexts--;
    device_of_thread = devices_before.back();
    devices_before.pop_back();
    return 0;
}
int32_t need_context() {
    if (device_of_thread < 0) wrong("a driver function is called without a context");
    return 0;
}
// The size of device memory stands in front of it.
int32_t allocate(uint64_t *address, size_t size) {
    live++;
    allocations++;
    if (const int32_t error = need_context()) return error;
    const int64_t now = memory[device_of_thread] += int64_t(size);
    for (int64_t most = most_memory[device_of_thread]; most < now;)
        if (most_memory[device_of_thread].compare_exchange_weak(most, now)) break;
    size_t *const start = static_cast<size_t *>(malloc(sizeof(size_t) + size));
    *start = size;
    *address = reinterpret_cast<uintptr_t>(start + 1);
    return 0;
}
int32_t free_memory(uint64_t address) {
    live--;
    need_context();
    size_t *const start = reinterpret_cast<size_t *>(uintptr_t(address)) - 1;
    memory[device_of_thread] -= int64_t(*start);
    free(start);
    return 0;
}
int32_t allocate_host(void **memory, size_t size, uint32_t) {
    live++;
    allocations++;
    *memory = malloc(size);
    return need_context();
}
int32_t free_host(void *memory) {
    live--;
    free(memory);
    return 0;
}
int32_t make_stream(void **stream, uint32_t) {
    live++;
    *stream = new Stream;
    return need_context();
}
int32_t destroy_stream(void *stream) {
    live--;
    delete static_cast<Stream *>(stream);
    return 0;
}
int32_t synchronize(void *stream) {
    finish(static_cast<Stream *>(stream));
    return need_context();
}
int32_t query(void *pointer) {
    Stream *const stream = static_cast<Stream *>(pointer);
    if (stream->busy && stream->asked++ == 0) return kDriverNotReady;
    finish(stream);
    return need_context();
}
int32_t make_event(void **event, uint32_t) {
    live++;
    *event = new void *(nullptr);
    return need_context();
}
int32_t destroy_event(void *event) {
    live--;
    delete static_cast<void **>(event);
    return 0;
}
int32_t record(void *event, void *stream) {
    *static_cast<void **>(event) = stream;
    return need_context();
}
int32_t wait_for_event(void *event) { return synchronize(*static_cast<void **>(event)); }
int32_t send(uint64_t to, const void *from, size_t size, void *) {
    memcpy(reinterpret_cast<void *>(uintptr_t(to)), from, size);
    return need_context();
}
int32_t launch(void *, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t,
               void *pointer, void **parameters, void **) {
    const int device = device_of_thread;
    if (need_context() || device < 0) return kLost;
    if ((failing == -2 || failing == device) && launched[device] >= failing_after) return kLost;
    launched[device]++;
    const int now = ++in_flight[device];
    for (int most = most_in_flight[device]; most < now;)
        if (most_in_flight[device].compare_exchange_weak(most, now)) break;
    Stream *const stream = static_cast<Stream *>(pointer);
    if (stream->busy) wrong("a slot is used for two chunks at once");
    stream->from = *static_cast<int64_t **>(parameters[0]);
    stream->to = *static_cast<int64_t **>(parameters[1]);
    stream->count = *static_cast<int64_t *>(parameters[2]);
    stream->device = device;
    stream->asked = 0;
    stream->busy = true;
    return 0;
}
int32_t error_text(int32_t, const char **text) {
    *text = "LOST";
    return 0;
}

// The algorithm.
class Squares : public gpu::Slot {
   public:
    explicit Squares(gpu::Device *device) : Slot(device) {}
    ~Squares() override {
        free_device_memory();
        block_.free(driver());
        results_.free(driver());
    }

    const int64_t *numbers = nullptr;
    int64_t first = 0, count = 0;
    const int64_t *results() const { return static_cast<int64_t *>(results_.address()); }

   protected:
    int64_t device_bytes() const override { return device_block_.size_for(bytes()); }
    void free_device_memory() noexcept override {
        drain();
        device_block_.free(driver());
    }
    gkl_shim_status plan() override { return GKL_SHIM_OK; }
    void write() override {
        block_.grow(driver(), stream(), bytes());
        results_.grow(driver(), stream(), bytes());
        device_block_.grow(driver(), stream(), bytes());
        memcpy(block_.address(), numbers + first, size_t(bytes()));
        memset(results_.address(), 0xff, size_t(bytes()));
    }
    void launch() override {
        driver().send(device_block_.address(), block_.address(), bytes(), stream());
        uint64_t from = device_block_.address();
        void *to = results_.address();
        void *parameters[] = {&from, &to, &count};
        driver().launch(nullptr, 1, 1, 32, 0, stream(), parameters);
    }

   private:
    int64_t bytes() const { return count * int64_t(sizeof(int64_t)); }

    gpu::KeptMemory<void *> block_, results_;
    gpu::KeptMemory<uint64_t> device_block_;
};

class Numbers : public gpu::Queue {
   public:
    Numbers(gpu::Call *call, const std::vector<int64_t> &numbers, int64_t chunk)
        : Queue(call), numbers_(numbers), chunk_(chunk) {
        has_more_ = !numbers.empty();
    }
    int64_t chunks_left() const override {
        return (int64_t(numbers_.size()) - next_ + chunk_ - 1) / chunk_;
    }
    int64_t taken() const { return next_; }

   protected:
    bool next(gpu::Slot *slot, int32_t) override {
        Squares &squares = *static_cast<Squares *>(slot);
        squares.numbers = numbers_.data();
        squares.first = next_;
        squares.count = std::min(chunk_, int64_t(numbers_.size()) - next_);
        next_ += squares.count;
        has_more_ = next_ < int64_t(numbers_.size());
        return true;
    }

   private:
    const std::vector<int64_t> &numbers_;
    const int64_t chunk_;
    int64_t next_ = 0;
};

struct Output {
    std::vector<int64_t> squares, written;  // and how often each was
    std::mutex mutex;
    std::vector<std::pair<int64_t, int64_t>> undone;  // first, count
};

class SquareWork : public gpu::Work {
   public:
    SquareWork(gpu::Devices *devices, Numbers *queue, Output *output)
        : devices_(*devices), queue_(*queue), output_(*output) {}

    std::shared_ptr<gpu::Queue> next_queue() override {
        if (!queue_.more()) return nullptr;
        return {std::shared_ptr<gpu::Queue>(), &queue_};
    }
    bool any_left() const override { return queue_.more() && devices_.any_for(queue_); }
    void no_device_for(gpu::Queue *) override {}
    void collect(gpu::Slot *slot) override {
        const Squares &squares = *static_cast<Squares *>(slot);
        std::copy_n(squares.results(), squares.count, output_.squares.begin() + squares.first);
        for (int64_t k = 0; k < squares.count; k++) output_.written[size_t(squares.first + k)]++;
    }
    void lose(gpu::Slot *slot) override {
        const Squares &squares = *static_cast<Squares *>(slot);
        const std::lock_guard<std::mutex> lock(output_.mutex);
        output_.undone.emplace_back(squares.first, squares.count);
    }

   private:
    gpu::Devices &devices_;
    Numbers &queue_;
    Output &output_;
};

void compute(gpu::Devices *devices, const gpu::LaunchLimits &limits, int64_t count, int64_t chunk) {
    std::vector<int64_t> numbers;
    for (int64_t k = 0; k < count; k++) numbers.push_back(k - count / 2);
    Output output;
    output.squares.resize(numbers.size());
    output.written.resize(numbers.size());
    gpu::Call call;
    Numbers queue(&call, numbers, chunk);
    gpu::compute_on_devices(devices, &call, queue, limits,
                            [&] { return SquareWork(devices, &queue, &output); });
    if (call.failed()) wrong("the call has failed");
    output.undone.emplace_back(queue.taken(), count - queue.taken());
    int64_t on_cpu = 0;
    for (const auto &span : output.undone) {
        on_cpu += span.second;
        for (int64_t k = span.first; k < span.first + span.second; k++) {
            output.squares[size_t(k)] = numbers[size_t(k)] * numbers[size_t(k)];
            output.written[size_t(k)]++;
        }
    }
    for (size_t k = 0; k < numbers.size(); k++) {
        if (output.written[k] != 1) wrong("a number is not computed exactly once");
        if (output.squares[k] != numbers[k] * numbers[k]) wrong("a square is wrong");
    }
    printf("on_cpu %lld\n", (long long)on_cpu);
}

}  // namespace

int main(int, char **arguments) {
    int64_t number[10];
    for (int k = 1; k <= 9; k++) number[k] = atoll(arguments[k]);
    failing = int(number[7]);
    failing_after = int(number[8]);
    gkl_shim_cuda_driver functions = {};
    functions.cuCtxPushCurrent_v2 = push;
    functions.cuCtxPopCurrent_v2 = pop;
    functions.cuMemAlloc_v2 = allocate;
    functions.cuMemFree_v2 = free_memory;
    functions.cuMemHostAlloc = allocate_host;
    functions.cuMemFreeHost = free_host;
    functions.cuStreamCreate = make_stream;
    functions.cuStreamDestroy_v2 = destroy_stream;
    functions.cuStreamQuery = query;
    functions.cuStreamSynchronize = synchronize;
    functions.cuEventCreate = make_event;
    functions.cuEventDestroy_v2 = destroy_event;
    functions.cuEventRecord = record;
    functions.cuEventSynchronize = wait_for_event;
    functions.cuMemcpyHtoDAsync_v2 = send;
    functions.cuLaunchKernel = launch;
    functions.cuGetErrorName = functions.cuGetErrorString = error_text;
    const CudaDriver driver(functions);
    {
        gpu::Devices devices(driver, int32_t(number[4]),
                             [](gpu::Device *device) { return std::make_unique<Squares>(device); });
        for (intptr_t k = 0; k < number[3]; k++)
            devices.add(int32_t(k), reinterpret_cast<void *>(k + 1), number[9]);
        const gpu::LaunchLimits limits = {int32_t(number[5]), size_t(number[6]), 1, 1000000};
        compute(&devices, limits, number[1], number[2]);
        const int once = allocations;
        compute(&devices, limits, number[1], number[2]);
        // Where memory is short, a slot gives up its memory for another one's chunk.
        const bool enough = number[9] >= number[4] << 16;
        if (failing == -1 && number[5] == 1 && enough && allocations != once)
            wrong("a second call like the first allocates memory");
        int32_t lost;
        while (const char *reason = devices.next_loss(&lost)) printf("lost %d %s\n", lost, reason);
        printf("any %d\n", devices.uses(-1));
    }
    if (live != 0) wrong("something is not freed");
    if (contexts != 0) wrong("a context is left current");
    for (int k = 0; k < number[3]; k++)
        printf("device %d %d %d %lld\n", k, int(launched[k]), int(most_in_flight[k]),
               (long long)most_memory[k]);
    return errors == 0 ? 0 : 1;
}

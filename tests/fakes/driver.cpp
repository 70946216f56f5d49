// A stand-in for the CUDA driver's library. Device memory is this machine's memory, and the kernels
// are host functions.
//
// Any number of stand-in drivers exist side by side. A context belongs to one of them, so the
// context that is current in a thread says which driver a function acts on.
//
// The driver checks how it is used, and keeps a list of all mistakes:
//  - a function is called while no context is current,
//  - a copy or fill goes beyond its memory, or memory is used that is free or of another device,
//  - the bytes before or after an allocation are changed,
//  - something is freed twice, or while work in flight may still use it.
//
// Work of a stream is done at once. In a slow driver it is done when somebody waits for it, and is
// in flight until then.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "host_kernel.h"

namespace {

enum Status {
    kOk,
    kInvalidValue = 1,
    kOutOfMemory = 2,
    kNoContext = 201,
    kNotReady = 600,
    kLost = 719
};
enum class Kind { kDevice, kPinned, kStream, kEvent };
enum { kGuard = 256, kAnyDevice = -1 };
// The limits on a grid.
constexpr uint32_t kMaxBlocks = 0x7fffffff, kMaxRows = 65535;
constexpr uint8_t kGuardByte = 0x5C, kFreed = 0xDD;
// What new memory holds: as 16-bit numbers -3, which the prefilter's kernels take for their own
// (kTooWide) if they read a result that no kernel has written.
constexpr uint8_t kUnset[] = {0xFD, 0xFF};
constexpr int32_t kMemoryType = 2;  // CU_POINTER_ATTRIBUTE_MEMORY_TYPE
constexpr uint32_t kHost = 1;       // CU_MEMORYTYPE_HOST

typedef void (*Hook)(int device);

class Driver;

struct Context {
    Driver *driver;
    int device;
};

struct Kernel {
    std::string name;
    const fakes::HostKernel *host;  // null: every result is one of `values`, which are repeated
    std::vector<double> values;
};

struct Operation {
    std::function<void()> run;
    std::vector<uintptr_t> uses;  // addresses
};

struct Stream {
    int device;
    std::deque<Operation> in_flight;
};

struct Event {
    Stream *stream = nullptr;
};

// Memory, a stream or an event.
struct Item {
    Kind kind;
    int device;
    char *start = nullptr;  // of the guard before the memory
    size_t size = 0;
    std::unique_ptr<Stream> stream = nullptr;
    std::unique_ptr<Event> event = nullptr;

    char *memory() const { return start + kGuard; }
    bool guards_hold() const {
        const auto holds = [](const char *guard) {
            return std::all_of(guard, guard + kGuard,
                               [](char byte) { return uint8_t(byte) == kGuardByte; });
        };
        return holds(start) && holds(memory() + size);
    }
};

thread_local std::vector<Context *> current;

uintptr_t address_of(const void *pointer) { return reinterpret_cast<uintptr_t>(pointer); }
char *pointer_to(uint64_t address) { return reinterpret_cast<char *>(uintptr_t(address)); }

class Driver {
   public:
    Driver(int devices, bool slow) : slow_(slow) {
        for (int k = 0; k < devices; k++) {
            contexts_.push_back(std::make_unique<Context>(Context{this, k}));
            most_in_flight_.push_back(0);
            memory_.push_back({});
        }
    }

    Context *context(int device) { return contexts_[size_t(device)].get(); }

    void *add_kernel(const char *name, const fakes::HostKernel *host, const double *values,
                     int count) {
        const std::lock_guard<std::mutex> lock(mutex_);
        kernels_.push_back(std::make_unique<Kernel>(
            Kernel{name, host, std::vector<double>(values, values + count)}));
        return kernels_.back().get();
    }
    void fail(const char *function, int64_t after, int device, bool loses) {
        const std::lock_guard<std::mutex> lock(mutex_);
        failing_[function] = {after, device, loses};
    }
    void set_hook(const char *function, Hook hook) {
        const std::lock_guard<std::mutex> lock(mutex_);
        hooks_[function] = hook;
    }
    void pin(const char *memory, size_t size) {
        const std::lock_guard<std::mutex> lock(mutex_);
        pinned_.emplace_back(memory, size);
    }
    void forget_calls() {
        const std::lock_guard<std::mutex> lock(mutex_);
        calls_.clear();
        launched_.clear();
    }

    // Starts a call of a function. kOk: the caller goes on, with the lock.
    int begin(const char *name, bool frees, std::unique_lock<std::mutex> *lock) {
        const int device = current.back()->device;
        if (const Hook hook = hook_of(name)) hook(device);
        *lock = std::unique_lock<std::mutex>(mutex_);
        calls_[name]++;
        return frees ? kOk : failure(name, device);
    }
    int push(Context *context) {
        if (const Hook hook = hook_of("cuCtxPushCurrent_v2")) hook(context->device);
        const std::lock_guard<std::mutex> lock(mutex_);
        calls_["cuCtxPushCurrent_v2"]++;
        // The context of a lost device can be made current, unless that is what fails.
        if (failing_.count("cuCtxPushCurrent_v2"))
            if (const int error = failure("cuCtxPushCurrent_v2", context->device)) return error;
        current.push_back(context);
        pushed_++;
        return kOk;
    }
    void pop() {
        const std::lock_guard<std::mutex> lock(mutex_);
        current.pop_back();
        pushed_--;
    }
    void blame(const std::string &what) {
        const std::lock_guard<std::mutex> lock(mutex_);
        misused(what);
    }
    // Called with the lock, as what follows.
    void misused(const std::string &what) { misuse_.push_back(what); }

    uintptr_t allocate(Kind kind, size_t size) {
        if (size == 0) misused("0 bytes are asked for");
        Item item;
        item.kind = kind;
        item.device = current.back()->device;
        item.size = size;
        item.start = static_cast<char *>(
            aligned_alloc(kGuard, (size + kGuard - 1) / kGuard * kGuard + 2 * kGuard));
        memset(item.start, kGuardByte, kGuard);
        for (size_t k = 0; k < size; k++) item.memory()[k] = kUnset[k % sizeof kUnset];
        memset(item.memory() + size, kGuardByte, kGuard);
        const uintptr_t address = address_of(item.memory());
        memory_of(item).add(int64_t(size));
        items_[address] = std::move(item);
        return address;
    }
    void make_stream(void **place) {
        auto stream = std::make_unique<Stream>();
        stream->device = current.back()->device;
        *place = stream.get();
        Item item{Kind::kStream, stream->device};
        item.stream = std::move(stream);
        items_[address_of(*place)] = std::move(item);
    }
    void make_event(void **place) {
        auto event = std::make_unique<Event>();
        *place = event.get();
        Item item{Kind::kEvent, current.back()->device};
        item.event = std::move(event);
        items_[address_of(*place)] = std::move(item);
    }
    int free(Kind kind, uintptr_t address, const char *function) {
        const auto found = items_.find(address);
        if (found == items_.end() || found->second.kind != kind) {
            misused(std::string(function) + ": this is not to be freed");
            return kInvalidValue;
        }
        Item &item = found->second;
        if (kind == Kind::kStream) {
            if (!item.stream->in_flight.empty())
                misused("a stream is destroyed with work in flight");
        } else if (kind != Kind::kEvent) {
            if (!item.guards_hold()) misused("the bytes around an allocation have been changed");
            if (is_used(address, item.size))
                misused(std::string(function) + ": work in flight uses the memory");
            memset(item.memory(), kFreed, item.size);
            ::free(item.start);
            memory_of(item).add(-int64_t(item.size));
        }
        items_.erase(found);
        return lost_.count(current.back()->device) ? kLost : kOk;
    }

    // Does a stream's work, all of it.
    void finish(Stream *stream) {
        while (!stream->in_flight.empty()) {
            stream->in_flight.front().run();
            stream->in_flight.pop_front();
        }
    }
    bool is_done(Stream *stream) {
        if (slow_) return stream->in_flight.empty();
        finish(stream);
        return true;
    }
    void send(uint64_t to, const void *from, size_t size, Stream *stream) {
        if (!in_device_memory("a copy to the device", to, size)) return;
        const bool pinned = is_pinned(from, size);
        if (!pinned) {
            // The driver has read such memory when it returns.
            pageable_.push_back(size);
            finish(stream);
        }
        add(stream, !pinned, {to, address_of(from)}, [=] {
            if (pinned && !is_pinned(from, size))
                misused("a copy to the device reads memory that has been freed");
            else if (in_device_memory("a copy to the device", to, size))
                memcpy(pointer_to(to), from, size);
        });
    }
    void fetch(void *to, uint64_t from, size_t size, Stream *stream) {
        if (!in_device_memory("a copy from the device", from, size)) return;
        const bool pinned = is_pinned(to, size);
        if (!pinned) finish(stream);
        add(stream, !pinned, {from, address_of(to)}, [=] {
            if (pinned && !is_pinned(to, size))
                misused("a copy from the device writes memory that has been freed");
            else if (in_device_memory("a copy from the device", from, size))
                memcpy(to, pointer_to(from), size);
        });
    }
    void fill(uint64_t to, uint8_t value, size_t size, Stream *stream) {
        fills_.push_back(size);
        add(stream, false, {to}, [=] {
            if (in_device_memory("a fill", to, size)) memset(pointer_to(to), value, size);
        });
    }
    void launch(Kernel *kernel, unsigned x, unsigned y, Stream *stream, void **parameters) {
        const int device = current.back()->device;
        launched_.emplace_back(device, kernel->name);
        if (!kernel->host) {
            const uintptr_t results = *static_cast<uintptr_t *>(parameters[3]);
            add(stream, false, {results}, [=] { fill_results(*kernel, results); });
        } else {
            std::vector<std::vector<char>> values;
            std::vector<uintptr_t> uses;
            for (int k = 0; kernel->host->sizes[k]; k++) {
                const char *const from = static_cast<char *>(parameters[k]);
                values.emplace_back(from, from + kernel->host->sizes[k]);
                // Whatever looks like an address may be one.
                for (size_t at = 0; at + sizeof(uintptr_t) <= values.back().size();
                     at += sizeof(uintptr_t)) {
                    uses.emplace_back();
                    memcpy(&uses.back(), from + at, sizeof(uintptr_t));
                }
            }
            add(stream, false, std::move(uses), [=]() mutable {
                void *copies[fakes::kMaxParameters];
                for (size_t k = 0; k < values.size(); k++) copies[k] = values[k].data();
                kernel->host->run(x, y, copies);
            });
        }
        int &most = most_in_flight_[size_t(device)];
        most = std::max(most, in_flight(device));
    }

    // Whether host memory was allocated as pinned memory, or counts as pinned.
    bool is_pinned(const void *memory, size_t size) {
        const char *const at = static_cast<const char *>(memory);
        for (const auto &[start, length] : pinned_)
            if (at >= start && at + size <= start + length) return true;
        const Item *const item = item_at(address_of(memory), size);
        return item && item->kind == Kind::kPinned;
    }

    std::string report();

   private:
    Hook hook_of(const char *name) {
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto found = hooks_.find(name);
        return found == hooks_.end() ? nullptr : found->second;
    }
    int failure(const char *name, int device) {
        const auto found = failing_.find(name);
        const bool counts = found != failing_.end() &&
                            (found->second.device == kAnyDevice || found->second.device == device);
        const bool allocates = strstr(name, "Alloc") != nullptr;
        if (counts && found->second.left-- <= 0) {
            failed_.insert(name);
            if (allocates) return kOutOfMemory;
            if (!found->second.loses) return kInvalidValue;
            lose(device);
        }
        return lost_.count(device) ? kLost : kOk;
    }
    // The device does nothing any more, and what is in flight is dropped.
    void lose(int device) {
        lost_.insert(device);
        for (auto &[address, item] : items_)
            if (item.stream && item.device == device) item.stream->in_flight.clear();
    }
    int in_flight(int device) const {
        int count = 0;
        for (const auto &[address, item] : items_)
            count += item.stream && item.device == device && !item.stream->in_flight.empty();
        return count;
    }
    bool is_used(uintptr_t address, size_t size) const {
        for (const auto &[place, item] : items_)
            if (item.stream)
                for (const Operation &operation : item.stream->in_flight)
                    for (const uintptr_t used : operation.uses)
                        if (used >= address && used < address + size) return true;
        return false;
    }
    void add(Stream *stream, bool at_once, std::vector<uintptr_t> uses, std::function<void()> run) {
        if (slow_ && !at_once)
            stream->in_flight.push_back({std::move(run), std::move(uses)});
        else
            run();
    }
    // The allocation that holds these bytes, with intact guards; null if there is none.
    Item *item_at(uintptr_t address, size_t size) {
        auto found = items_.upper_bound(address);
        if (found == items_.begin()) return nullptr;
        Item &item = (--found)->second;
        if (!item.start || address + size > found->first + item.size) return nullptr;
        if (!item.guards_hold()) misused("the bytes around an allocation have been changed");
        return &item;
    }
    bool in_device_memory(const char *what, uint64_t address, size_t size) {
        const Item *const item = item_at(address, size);
        if (item && item->kind == Kind::kDevice && item->device == current.back()->device)
            return true;
        misused(std::string(what) + ": " + std::to_string(size) +
                " bytes are not in the device's memory");
        return false;
    }
    void fill_results(const Kernel &kernel, uintptr_t address) {
        const auto found = items_.find(address);
        if (found == items_.end() || found->second.kind != Kind::kPinned) {
            misused("a kernel's results are not in pinned memory");
            return;
        }
        double *const results = reinterpret_cast<double *>(address);
        const size_t count = found->second.size / sizeof(double);
        for (size_t k = 0; k < count; k++)
            __atomic_store(&results[k],
                           const_cast<double *>(&kernel.values[k % kernel.values.size()]),
                           __ATOMIC_RELEASE);
    }

    // The bytes that are allocated, and the most that ever were.
    struct Allocated {
        int64_t now = 0, most = 0;
        void add(int64_t bytes) {
            now += bytes;
            most = std::max(most, now);
        }
    };
    Allocated &memory_of(const Item &item) {
        return item.kind == Kind::kDevice ? memory_[size_t(item.device)] : pinned_memory_;
    }

    struct Failing {
        int64_t left;
        int device;
        bool loses;
    };

    const bool slow_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<Context>> contexts_;
    std::vector<std::unique_ptr<Kernel>> kernels_;
    std::map<uintptr_t, Item> items_;
    std::vector<std::pair<const char *, size_t>> pinned_;
    std::map<std::string, Failing> failing_;
    std::map<std::string, Hook> hooks_;
    std::map<std::string, int64_t> calls_;
    std::vector<std::pair<int, std::string>> launched_;
    std::vector<int> most_in_flight_;
    std::vector<Allocated> memory_;
    Allocated pinned_memory_;
    std::vector<size_t> pageable_, fills_;
    std::vector<std::string> misuse_;
    std::set<std::string> failed_;
    std::set<int> lost_;
    int pushed_ = 0;
};

template <class List, class Write>
std::string json(const char *name, const List &list, Write write) {
    std::string text = std::string("\"") + name + "\": [";
    for (const auto &each : list) text += (text.back() == '[' ? "" : ", ") + write(each);
    return text + "]";
}
std::string quoted(const std::string &text) { return "\"" + text + "\""; }

std::string Driver::report() {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto number = [](auto value) { return std::to_string(value); };
    int in_flight = 0;
    for (const auto &[address, item] : items_)
        in_flight += item.stream && !item.stream->in_flight.empty();
    const auto text = [](const std::string &value) { return quoted(value); };
    return "{" +
           json("calls", calls_,
                [](const auto &each) {
                    return "[" + quoted(each.first) + ", " + std::to_string(each.second) + "]";
                }) +
           ", " +
           json("launched", launched_,
                [](const auto &each) {
                    return "[" + std::to_string(each.first) + ", " + quoted(each.second) + "]";
                }) +
           ", " +
           json("live", items_,
                [](const auto &each) {
                    static const char *const kNames[] = {"device memory", "pinned memory", "stream",
                                                         "event"};
                    return quoted(kNames[int(each.second.kind)]);
                }) +
           ", " + json("most_in_flight", most_in_flight_, number) + ", " +
           json("most_memory", memory_, [](const Allocated &x) { return std::to_string(x.most); }) +
           ", \"most_pinned\": " + std::to_string(pinned_memory_.most) + ", " +
           json("pageable", pageable_, number) + ", " + json("fills", fills_, number) + ", " +
           json("misused", misuse_, text) + ", " + json("failed", failed_, text) + ", " +
           "\"in_flight\": " + std::to_string(in_flight) +
           ", \"pushed\": " + std::to_string(pushed_) + "}";
}

// The driver that was made last.
std::atomic<Driver *> latest{nullptr};

// Calls work(driver), which may return an error, as a driver's function. `frees`: it never fails.
template <class Work>
int32_t call(const char *name, const Work &work, bool frees = false) {
    if (current.empty()) {
        // The context would tell the driver, so the latest driver records the fault.
        latest.load()->blame(std::string(name) + " is called without a context");
        return kNoContext;
    }
    Driver &driver = *current.back()->driver;
    std::unique_lock<std::mutex> lock;
    if (const int error = driver.begin(name, frees, &lock)) return error;
    if constexpr (!std::is_void<decltype(work(driver))>::value) return work(driver);
    work(driver);
    return kOk;
}

int32_t freed(const char *name, Kind kind, uintptr_t address) {
    return call(
        name, [=](Driver &driver) { return driver.free(kind, address, name); }, true);
}

}  // namespace

#define FUNCTION extern "C" __attribute__((visibility("default")))

FUNCTION int32_t cuCtxPushCurrent_v2(void *context) {
    Context *const given = static_cast<Context *>(context);
    return given->driver->push(given);
}
FUNCTION int32_t cuCtxPopCurrent_v2(void **context) {
    if (current.empty()) return kNoContext;
    *context = current.back();
    current.back()->driver->pop();
    return kOk;
}
FUNCTION int32_t cuMemAlloc_v2(uint64_t *address, size_t size) {
    return call(__func__, [=](Driver &driver) { *address = driver.allocate(Kind::kDevice, size); });
}
FUNCTION int32_t cuMemHostAlloc(void **memory, size_t size, uint32_t) {
    return call(__func__, [=](Driver &driver) {
        *memory = pointer_to(driver.allocate(Kind::kPinned, size));
    });
}
FUNCTION int32_t cuMemFree_v2(uint64_t address) { return freed(__func__, Kind::kDevice, address); }
FUNCTION int32_t cuMemFreeHost(void *memory) {
    return freed(__func__, Kind::kPinned, address_of(memory));
}
FUNCTION int32_t cuStreamCreate(void **stream, uint32_t) {
    return call(__func__, [=](Driver &driver) { return driver.make_stream(stream); });
}
FUNCTION int32_t cuStreamDestroy_v2(void *stream) {
    return freed(__func__, Kind::kStream, address_of(stream));
}
FUNCTION int32_t cuStreamQuery(void *stream) {
    return call(__func__, [=](Driver &driver) {
        return driver.is_done(static_cast<Stream *>(stream)) ? kOk : kNotReady;
    });
}
FUNCTION int32_t cuStreamSynchronize(void *stream) {
    return call(__func__, [=](Driver &driver) { driver.finish(static_cast<Stream *>(stream)); });
}
FUNCTION int32_t cuEventCreate(void **event, uint32_t) {
    return call(__func__, [=](Driver &driver) { return driver.make_event(event); });
}
FUNCTION int32_t cuEventDestroy_v2(void *event) {
    return freed(__func__, Kind::kEvent, address_of(event));
}
FUNCTION int32_t cuEventRecord(void *event, void *stream) {
    return call(__func__, [=](Driver &) {
        static_cast<Event *>(event)->stream = static_cast<Stream *>(stream);
    });
}
FUNCTION int32_t cuEventSynchronize(void *event) {
    return call(__func__, [=](Driver &driver) {
        if (Stream *const stream = static_cast<Event *>(event)->stream) driver.finish(stream);
    });
}
FUNCTION int32_t cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t size, void *stream) {
    return call(__func__, [=](Driver &driver) {
        driver.send(to, from, size, static_cast<Stream *>(stream));
    });
}
FUNCTION int32_t cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t size, void *stream) {
    return call(__func__, [=](Driver &driver) {
        driver.fetch(to, from, size, static_cast<Stream *>(stream));
    });
}
FUNCTION int32_t cuPointerGetAttribute(void *value, int32_t attribute, uint64_t address) {
    return call(__func__, [=](Driver &driver) {
        if (attribute != kMemoryType || !driver.is_pinned(pointer_to(address), 1))
            return kInvalidValue;
        memcpy(value, &kHost, sizeof kHost);
        return kOk;
    });
}
FUNCTION int32_t cuMemsetD8Async(uint64_t to, uint8_t value, size_t size, void *stream) {
    return call(__func__, [=](Driver &driver) {
        driver.fill(to, value, size, static_cast<Stream *>(stream));
    });
}
FUNCTION int32_t cuLaunchKernel(void *kernel, uint32_t x, uint32_t y, uint32_t, uint32_t, uint32_t,
                                uint32_t, uint32_t, void *stream, void **parameters, void **) {
    return call(__func__, [=](Driver &driver) {
        if (x == 0 || y == 0 || x > kMaxBlocks || y > kMaxRows) return int(kInvalidValue);
        driver.launch(static_cast<Kernel *>(kernel), x, y, static_cast<Stream *>(stream),
                      parameters);
        return int(kOk);
    });
}
FUNCTION int32_t cuGetErrorName(int32_t error, const char **name) {
    *name = error == kOutOfMemory    ? "CUDA_ERROR_OUT_OF_MEMORY"
            : error == kLost         ? "CUDA_ERROR_LAUNCH_FAILED"
            : error == kInvalidValue ? "CUDA_ERROR_INVALID_VALUE"
                                     : nullptr;
    return *name ? kOk : kInvalidValue;
}
FUNCTION int32_t cuGetErrorString(int32_t, const char **text) {
    *text = nullptr;
    return kInvalidValue;
}

// How tests control a driver (driver.py). A driver lasts as long as the process, since engines may.
FUNCTION void *fake_driver(int devices, int slow) {
    return latest = new Driver(devices, slow != 0);
}
FUNCTION void *fake_context(void *driver, int device) {
    return static_cast<Driver *>(driver)->context(device);
}
FUNCTION void *fake_kernel(void *driver, const char *name, const void *host, const double *values,
                           int count) {
    return static_cast<Driver *>(driver)->add_kernel(
        name, static_cast<const fakes::HostKernel *>(host), values, count);
}
FUNCTION void fake_fail(void *driver, const char *function, int64_t after, int device, int loses) {
    static_cast<Driver *>(driver)->fail(function, after, device, loses != 0);
}
FUNCTION void fake_hook(void *driver, const char *function, void (*hook)(int device)) {
    static_cast<Driver *>(driver)->set_hook(function, hook);
}
FUNCTION void fake_pin(void *driver, const void *memory, size_t size) {
    static_cast<Driver *>(driver)->pin(static_cast<const char *>(memory), size);
}
FUNCTION void fake_forget_calls(void *driver) { static_cast<Driver *>(driver)->forget_calls(); }
// The report is JSON, which the caller frees.
FUNCTION char *fake_report(void *driver) {
    return strdup(static_cast<Driver *>(driver)->report().c_str());
}

// The GPU runtime with a small algorithm, which squares numbers, and the stand-in driver.
//
//     runtime NAME=VALUE...
//
// `numbers`, in chunks of `chunk`. `callers` threads compute each of two calls at the same time, on
// `devices` with `slots` each, with `threads` launch threads that keep `in_flight` chunks in
// flight. `memory`: the limit on each device's memory in bytes. A `slow` driver works once somebody
// waits. The driver's function `failing` fails on device `on` (-1: all) after it has succeeded
// `after` times; with `loses`, the device is lost.
//
// Prints a line for each fact: numbers that the CPU squared, losses, whatever is wrong, and the
// driver's report after the first call and at the end.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "../fakes/driver.h"
#include "../fakes/host_kernel.h"
#include "gpu/call.h"
#include "gpu/devices.h"
#include "gpu/driver.h"
#include "gpu/kept_memory.h"
#include "gpu/ranges.h"

namespace {

using namespace gkl_shim;

std::atomic<int> errors{0};

void wrong(const char *what) {
    errors++;
    printf("wrong %s\n", what);
}

void square(const int64_t *from, int64_t *to, int64_t count) {
    for (int64_t k = 0; k < count; k++) to[k] += from[k] * from[k];
}
const fakes::HostKernel kSquare =
    fakes::host_kernel("square", square, [](unsigned, unsigned, void *const *parameters) {
        square(*static_cast<int64_t **>(parameters[0]), *static_cast<int64_t **>(parameters[1]),
               *static_cast<int64_t *>(parameters[2]));
    });
void *square_kernel;

// The algorithm.
class Squares : public gpu::RangeSlot {
   public:
    explicit Squares(gpu::Device *device) : RangeSlot(device) {}
    ~Squares() override {
        free_device_memory();
        block_.free(driver());
    }

    const std::vector<int64_t> *numbers = nullptr;
    std::vector<int64_t> *squares = nullptr, *written = nullptr;  // and how often each was
    bool launched = false;

    void collect() override {
        lose();
        std::copy_n(static_cast<int64_t *>(block_.address()), range.count(),
                    squares->begin() + range.first);
        for (int64_t k = range.first; k < range.last; k++) (*written)[size_t(k)]++;
    }
    void lose() override { launched = false; }

   protected:
    int64_t device_bytes() const override { return device_block_.size_for(2 * bytes()); }
    void free_device_memory() noexcept override {
        drain();
        device_block_.free(driver());
    }
    gkl_shim_status plan() override { return GKL_SHIM_OK; }
    void write() override {
        if (std::exchange(launched, true)) wrong("a slot is used for two chunks at once");
        block_.grow(driver(), stream(), bytes());
        device_block_.grow(driver(), stream(), 2 * bytes());
        memcpy(block_.address(), numbers->data() + range.first, size_t(bytes()));
    }
    // The results take the place of the numbers in pinned memory.
    void launch() override {
        uint64_t from = device_block_.address(), to = from + uint64_t(bytes());
        driver().send(from, block_.address(), bytes(), stream());
        driver().fill(to, 0, bytes(), stream());
        int64_t count = range.count();
        void *parameters[] = {&from, &to, &count};
        driver().launch(square_kernel, 1, 1, 32, 0, stream(), parameters);
        driver().fetch(block_.address(), to, bytes(), stream());
    }

   private:
    int64_t bytes() const { return range.count() * int64_t(sizeof(int64_t)); }

    gpu::KeptMemory<void *> block_;
    gpu::KeptMemory<uint64_t> device_block_;
};

class Numbers : public gpu::RangeQueue {
   public:
    Numbers(gpu::Call *call, const std::vector<int64_t> &numbers, int64_t chunk)
        : RangeQueue(call, {0, int64_t(numbers.size())}),
          squares(numbers.size()),
          written(numbers.size()),
          numbers_(numbers),
          chunk_(chunk) {}
    int64_t chunks_left() const override { return (left_.count() + chunk_ - 1) / chunk_; }

    std::vector<int64_t> squares, written;

   protected:
    int64_t cut(const gpu::Range &left, gpu::RangeSlot *slot, int32_t) override {
        Squares &chunk = *static_cast<Squares *>(slot);
        chunk.numbers = &numbers_;
        chunk.squares = &squares;
        chunk.written = &written;
        return std::min(left.first + chunk_, left.last);
    }

   private:
    const std::vector<int64_t> &numbers_;
    const int64_t chunk_;
};

void compute(gpu::Devices *devices, const gpu::LaunchLimits &limits, int64_t count, int64_t chunk) {
    std::vector<int64_t> numbers;
    for (int64_t k = 0; k < count; k++) numbers.push_back(k - count / 2);
    gpu::Call call;
    Numbers queue(&call, numbers, chunk);
    gpu::compute_ranges(devices, &call, &queue, limits);
    if (call.failed()) wrong("the call has failed");
    int64_t on_cpu = 0;
    for (const gpu::Range &undone : queue.undone()) {
        on_cpu += undone.count();
        for (int64_t k = undone.first; k < undone.last; k++) {
            queue.squares[size_t(k)] = numbers[size_t(k)] * numbers[size_t(k)];
            queue.written[size_t(k)]++;
        }
    }
    for (size_t k = 0; k < numbers.size(); k++) {
        if (queue.written[k] != 1) wrong("a number is not computed exactly once");
        if (queue.squares[k] != numbers[k] * numbers[k]) wrong("a square is wrong");
    }
    printf("on_cpu %lld\n", (long long)on_cpu);
}

}  // namespace

int main(int count, char **arguments) {
    std::map<std::string, int64_t> given;
    std::string failing;
    for (int k = 1; k < count; k++) {
        const std::string word = arguments[k];
        const size_t equals = word.find('=');
        if (word.substr(0, equals) == "failing")
            failing = word.substr(equals + 1);
        else
            given[word.substr(0, equals)] = atoll(word.c_str() + equals + 1);
    }
    void *const fake = fake_driver(int(given["devices"]), int(given["slow"]));
    square_kernel = fake_kernel(fake, "square", &kSquare, nullptr, 0);
    if (!failing.empty())
        fake_fail(fake, failing.c_str(), given["after"], int(given["on"]), int(given["loses"]));
    const CudaDriver driver(*fake_functions());
    const auto report = [&] {
        char *const text = fake_report(fake);
        printf("report %s\n", text);
        free(text);
    };
    {
        gpu::Devices devices(driver, int32_t(given["slots"]),
                             [](gpu::Device *device) { return std::make_unique<Squares>(device); });
        // A device's number is not its place.
        for (int k = 0; k < given["devices"]; k++)
            devices.add(10 + k, fake_context(fake, k), given["memory"]);
        const gpu::LaunchLimits limits = {int32_t(given["threads"]), size_t(given["in_flight"]), 1,
                                          1000000};
        for (int call = 0; call < 2; call++) {
            std::vector<std::thread> callers;
            for (int k = 0; k < given["callers"]; k++)
                callers.emplace_back(
                    [&] { compute(&devices, limits, given.at("numbers"), given.at("chunk")); });
            for (std::thread &caller : callers) caller.join();
            if (call == 0) report();
        }
        int32_t lost;
        while (const char *reason = devices.next_loss(&lost)) printf("lost %d %s\n", lost, reason);
        for (int k = 0; k < given["devices"]; k++)
            if (devices.uses(10 + k)) printf("left %d\n", 10 + k);
        if (devices.uses(-1)) printf("any left\n");
    }
    report();
    return errors == 0 ? 0 : 1;
}

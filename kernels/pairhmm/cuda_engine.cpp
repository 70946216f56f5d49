// The CUDA engine: streams, memory that is kept, and the flow of a call. The interface is in
// gkl_shim.h.
//
// Batches are cut into chunks. For each, the planner chooses tries and tiles and writes one block
// of pinned memory; it goes to a device in one transfer, one kernel launch for each width of tile
// computes it, and the results arrive in pinned memory by themselves. Reads too long for one warp
// have a kernel of their own, whose warps hand numbers on to one another. Several chunks are under
// way at once, each with a stream and memory of its own, so that planning, transfers and kernels
// overlap. Several devices take chunks from one queue.
//
// Results have the CPU engine's bits. What single precision does not hold goes to the double
// kernels and, where these do not hold it either, to the CPU engine; so does all that a device
// leaves undone. A device that fails once is used no more: what is wrong with it is seldom known.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "common/cpu.h"
#include "common/cuda_driver.h"
#include "common/error.h"
#include "common/thread_pool.h"
#include "gkl_shim.h"
#include "pairhmm/batch.h"
#include "pairhmm/cuda_arrays.h"
#include "pairhmm/cuda_layout.h"

namespace gkl_shim {
namespace pairhmm {
namespace {

typedef std::chrono::steady_clock Clock;

// A buffer's size is a power of two, so that one that has held a few chunks holds most of those to
// come: while the driver makes memory, nobody launches. A large one, device memory that may be
// scarce, is so much larger than the need of the moment.
constexpr int64_t kLeastBuffer = 1 << 16, kLargeBuffer = 1 << 27;
constexpr double kGrowth = 1.25;

// A chunk of so few results is done when the last of them has come: the host looks at them itself.
// Each is set to this before, a NaN that no kernel makes. Who asks the driver keeps others from
// launching meanwhile: with 16 callers, one region each, a sixth fewer get through.
constexpr int64_t kWatchedResults = 1 << 16;
constexpr uint64_t kAbsent = ~uint64_t(0);

// What a chunk takes one thread, about, and how many threads a device's chunks are shared by at
// most.
constexpr int64_t kChunkNanoseconds = 200000;
enum { kMostDrivers = 16 };

// What comes from a device's memory for the CPU engine at a time: regions of about so many bases.
constexpr int64_t kBroughtBases = 1 << 26;

// Who has looked for a chunk's end so long goes to sleep for it: waking takes some 20 us.
constexpr std::chrono::microseconds kAwake(200);

typedef std::unique_ptr<gkl_shim_cuda_planner, void (*)(gkl_shim_cuda_planner *)> Planner;

// Consecutive regions of a batch, [first, last), and where the batch's results go.
struct Span {
    const gkl_shim_pairhmm_batch *batch;
    int64_t first, last;
    double *results;
};

class Device;

// Batches, and where their bases and qualities are: in the host's memory, or those of a single one
// in the memory of the device that holds them, beside the kernels for these and what its haplotypes
// have in common.
struct Input {
    const gkl_shim_pairhmm_batch *begin, *end;
    const Device *holder = nullptr;
    const gkl_shim_cuda_array_kernels *kernels = nullptr;
    const gkl_shim_cuda_prefix *prefixes = nullptr;
};

int64_t reads_of(const gkl_shim_pairhmm_batch &batch) { return batch.region_reads[batch.regions]; }
int64_t haplotypes_of(const gkl_shim_pairhmm_batch &batch) {
    return batch.region_haplotypes[batch.regions];
}

int64_t pairs_of(const gkl_shim_pairhmm_batch &batch, int64_t first, int64_t last) {
    int64_t pairs = 0;
    for (int64_t g = first; g < last; g++)
        pairs += (batch.region_reads[g + 1] - batch.region_reads[g]) *
                 (batch.region_haplotypes[g + 1] - batch.region_haplotypes[g]);
    return pairs;
}

// The way of some batches through one precision's kernels: the queue that all their drivers take
// from, and what becomes of them.
class Run {
   public:
    // `fresh`: there are no results yet, and all are wanted.
    Run(const Input &input, int32_t precision, bool fresh, double *results)
        : input(input),
          precision(precision),
          fresh_(fresh),
          batch_(input.begin),
          results_(results) {
        for (const gkl_shim_pairhmm_batch *batch = batch_; batch != input.end; batch++)
            bases_left_ += batch->read_offsets[batch->region_reads[batch->regions]];
        to_next_region();
    }

    const Input &input;
    const int32_t precision;

    bool more() const { return more_; }

    // About how many chunks are left, where one has been taken.
    int64_t chunks_left() const { return bases_left_ / std::max<int64_t>(last_bases_, 1) + 1; }

    // The next chunk, which the planner then holds, to be planned by so many threads for a device
    // that has so many others under way; false when there is none left.
    bool take(int32_t threads, int32_t company, gkl_shim_cuda_planner *planner,
              gkl_shim_cuda_chunk *chunk, Span *span) {
        std::lock_guard<std::mutex> lock(mutex_);
        while (more_) {
            place_.threads = threads;
            place_.company = company;
            *span = {batch_, place_.region, 0, results_};
            const int64_t bases_before = bases_before_place();
            const int32_t taken = gkl_shim_cuda_take(planner, batch_, input.prefixes,
                                                     fresh_ ? nullptr : results_, &place_);
            if (taken < 0) {
                stop(out_of_memory());
                return false;
            }
            span->last = place_.region + (place_.read > 0);
            last_bases_ = bases_before_place() - bases_before;
            bases_left_ -= last_bases_;
            *chunk = place_;
            to_next_region();
            if (taken > 0) return true;
        }
        return false;
    }

    void done(const gkl_shim_cuda_chunk &chunk, int64_t missing_results) {
        std::lock_guard<std::mutex> lock(mutex_);
        regions += chunk.regions;
        pairs += chunk.pairs;
        cells += chunk.cells;
        computed_cells += chunk.computed_cells;
        missing += missing_results;
    }

    // A device failed before these regions were done. They may overlap what was.
    void not_done(const Span &span) {
        std::lock_guard<std::mutex> lock(mutex_);
        try {
            undone.push_back(span);
        } catch (const std::bad_alloc &) {
            stop(out_of_memory());
        }
    }

    // The call fails, with the calling thread's last error.
    void fail(gkl_shim_status why) {
        std::lock_guard<std::mutex> lock(mutex_);
        stop(why);
    }

    // Once all drivers are done: what was not even taken.
    void close_queue() {
        while (more_) {
            undone.push_back({batch_, place_.region, batch_->regions, results_});
            place_.pair += pairs_of(*batch_, place_.region, batch_->regions);
            place_.region = batch_->regions;
            to_next_region();
        }
    }

    int64_t regions = 0, pairs = 0, cells = 0, computed_cells = 0, missing = 0;
    std::vector<Span> undone;
    gkl_shim_status status = GKL_SHIM_OK;
    ShortText message = "";

   private:
    int64_t bases_before_place() const {
        return batch_->read_offsets[batch_->region_reads[place_.region] + place_.read];
    }

    // Goes on to the next batch where one is at its end.
    void to_next_region() {
        while (batch_ != input.end && place_.region == batch_->regions) {
            results_ += place_.pair;
            place_ = {};
            batch_++;
        }
        more_ = batch_ != input.end;
    }

    void stop(gkl_shim_status why) {
        if (status != GKL_SHIM_OK) return;
        status = why;
        snprintf(message, sizeof message, "%s", gkl_shim_last_error());
        more_ = false;
    }

    const bool fresh_;
    std::mutex mutex_;
    std::atomic<bool> more_;
    const gkl_shim_pairhmm_batch *batch_;  // that the next chunk is of
    double *results_;                      // of this batch
    gkl_shim_cuda_chunk place_ = {};       // in it
    int64_t bases_left_ = 0, last_bases_ = 0;
};

// What one chunk needs on a device: a stream, and memory that grows and is kept.
class Slot {
   public:
    // `planning`: of a chunk, as in gkl_shim_cuda_options.
    Slot(Device *device, int64_t planning);
    ~Slot() {
        driver_.free_stream(stream_);
        driver_.free_event(end_);
        driver_.free(block_.memory);
        driver_.free(results_.memory);
        driver_.free(device_block_.memory);
        driver_.free(scratch_.memory);
    }
    Slot(const Slot &) = delete;

    Device &device() const { return device_; }
    const gkl_shim_cuda_chunk &chunk() const { return chunk_; }
    const Span &span() const { return span_; }
    void *stream() const { return stream_; }

    // How many other slots of the device are in use, as of when this one was handed out.
    int32_t company = 0;

    bool take(Run *run, int32_t threads) {
        precision_ = run->precision;
        array_kernels_ = run->input.kernels;
        Planner &planner = planners_[precision_];
        if (!planner) planner.reset(open_planner());
        return run->take(threads, company, planner.get(), &chunk_, &span_);
    }

    // Plans the chunk that was taken and sends it on its way. Any status but GKL_SHIM_OK is the
    // planner's, who sets the last error.
    gkl_shim_status start() {
        const gkl_shim_status status = plan();
        if (status != GKL_SHIM_OK || chunk_.results == 0) return status;
        make_room();
        write();
        send();
        launch();
        return GKL_SHIM_OK;
    }

    gkl_shim_status plan() { return gkl_shim_cuda_plan(planners_[precision_].get(), &chunk_); }

    void make_room() {
        grow(&block_, chunk_.block_bytes);
        grow(&device_block_, chunk_.block_bytes);
        grow(&scratch_, chunk_.scratch_bytes);
        grow(&results_, chunk_.results * int64_t(sizeof(double)));
    }

    void write() {
        gkl_shim_cuda_write(planners_[precision_].get(), block_.memory);
        expect(chunk_.results);
    }

    void send() { driver_.send(device_block_.memory, block_.memory, chunk_.block_bytes, stream_); }

    void launch() {
        if (chunk_.segments > 0) {
            const int64_t blocks = (chunk_.segments + kFetchSegments - 1) / kFetchSegments;
            uint64_t block = device_block_.memory;
            void *parameters[] = {&block};
            driver_.launch(array_kernels_->fetch, int32_t(blocks), 1, kArrayThreads, 0, stream_,
                           parameters);
        }
        const gkl_shim_cuda_kernels &kernels = hardware_.kernels[precision_];
        if (chunk_.passes == 1) {
            launch_widths(kernels, kWholeTile, 1);
        } else {
            launch_widths(kernels, kPass, chunk_.passes);
            launch_widths(kernels, kMeeting, chunk_.meetings);
        }
        if (chunk_.seam_bytes > 0) {
            driver_.fill(scratch_.memory + uint64_t(chunk_.seams), GKL_SHIM_CUDA_SEAM_FILL,
                         chunk_.seam_bytes, stream_);
            launch_one(kernels, GKL_SHIM_CUDA_WIDTHS, kPass, chunk_.striped_passes);
            launch_one(kernels, GKL_SHIM_CUDA_WIDTHS, kMeeting, chunk_.striped_meetings);
        }
    }

    // Until the results are there.
    void wait() { wait_for(chunk_.results); }

    // What the haplotypes of a batch in the device's memory have in common, as `prefixes` of
    // gkl_shim_cuda_take(): where they are until the slot is used again.
    const gkl_shim_cuda_prefix *compare(const gkl_shim_pairhmm_batch &batch,
                                        const gkl_shim_cuda_array_kernels &kernels) {
        const int64_t count = haplotypes_of(batch), halves = 2 * count;
        const int64_t offsets = (count + 1) * int64_t(sizeof(int64_t));
        const int64_t regions = (batch.regions + 1) * int64_t(sizeof(int64_t));
        const int64_t partings = halves * int64_t(sizeof(Parting));
        grow(&block_, offsets + regions);
        grow(&device_block_, offsets + regions);
        grow(&scratch_, partings + halves * int64_t(sizeof(int32_t)));
        grow(&results_, halves * int64_t(sizeof(Prefix)));
        uint8_t *const block = static_cast<uint8_t *>(block_.memory);
        memcpy(block, batch.haplotype_offsets, size_t(offsets));
        memcpy(block + offsets, batch.region_haplotypes, size_t(regions));
        expect(halves);
        driver_.send(device_block_.memory, block_.memory, offsets + regions, stream_);
        const uint8_t *bases = batch.haplotype_bases;
        uint64_t its_offsets = device_block_.memory, its_regions = its_offsets + uint64_t(offsets);
        uint64_t its_partings = scratch_.memory, leaders = its_partings + uint64_t(partings);
        int32_t as_gkl = engine_.conventions == GKL_SHIM_AS_GKL;
        void *results = results_.memory;
        void *parameters[] = {&bases,   &its_offsets, &its_regions, &as_gkl,
                              &results, &leaders,     &its_partings};
        int64_t large = 0;  // regions
        for (int64_t g = 0; g < batch.regions; g++)
            large += batch.region_haplotypes[g + 1] - batch.region_haplotypes[g] > kFewHaplotypes;
        const auto launch = [&](int32_t threads) {
            driver_.launch(kernels.common_prefixes, int32_t(batch.regions), 2, threads, 0, stream_,
                           parameters);
        };
        // Each leaves the other's regions alone.
        if (large < batch.regions) launch(kCompareFew);
        if (large > 0) launch(kCompareMany);
        wait_for(halves);
        return static_cast<const gkl_shim_cuda_prefix *>(results_.memory);
    }

    // Puts the results where they belong; returns how many pairs have none.
    int64_t finish() {
        return gkl_shim_cuda_finish(planners_[precision_].get(),
                                    static_cast<const double *>(results_.memory), span_.results);
    }

   private:
    // Pinned memory of the host, or memory of the device.
    template <class Address>
    struct Buffer {
        Address memory = {};
        int64_t size = 0;
    };

    gkl_shim_cuda_planner *open_planner() const {
        const gkl_shim_cuda_options options = {precision_,
                                               engine_.conventions,
                                               engine_.threads,
                                               hardware_.multiprocessors,
                                               engine_.rows_a_lane,
                                               engine_.cells[precision_],
                                               hardware_.scratch_bytes,
                                               planning_};
        gkl_shim_cuda_planner *planner;
        if (gkl_shim_cuda_open(&options, &planner) != GKL_SHIM_OK) throw std::bad_alloc();
        return planner;
    }

    // The old memory may be in use until the stream is through: results are seen before that.
    template <class Address>
    void grow(Buffer<Address> *buffer, int64_t size) {
        if (buffer->size >= size) return;
        driver_.wait_for_stream(stream_);
        driver_.free(std::exchange(*buffer, {}).memory);
        int64_t more = kLeastBuffer;
        while (more < size && more < kLargeBuffer) more *= 2;
        if (more < size) more = int64_t(double(size) * kGrowth);
        Address memory;
        driver_.allocate(size_t(more), &memory);
        *buffer = {memory, more};
    }

    void launch_widths(const gkl_shim_cuda_kernels &kernels, int32_t step, int32_t warps) {
        for (int width = 0; width < GKL_SHIM_CUDA_WIDTHS; width++)
            if (chunk_.tiles[width] > 0) launch_one(kernels, width, step, warps);
    }

    void launch_one(const gkl_shim_cuda_kernels &kernels, int kernel, int32_t step, int32_t warps) {
        uint64_t block = device_block_.memory, tables = kernels.tables, scratch = scratch_.memory;
        void *results = results_.memory;
        int32_t first_tile = chunk_.first_tile[kernel];
        void *parameters[] = {&block, &tables, &scratch, &results, &first_tile, &step};
        driver_.launch(kernels.functions[kernel], chunk_.tiles[kernel], warps, kWarp,
                       kernels.shared_bytes[kernel], stream_, parameters);
    }

    // So many results of eight bytes each, none of which is there yet.
    void expect(int64_t count) {
        if (count <= kWatchedResults) memset(results_.memory, 0xff, size_t(count) * sizeof kAbsent);
    }

    void wait_for(int64_t count) {
        if (count == 0) return;
        int64_t come = 0;
        const Clock::time_point tired = Clock::now() + kAwake;
        do {
            for (int k = 0; k < 64; k++) {
                if (count <= kWatchedResults ? have_come(count, &come) : driver_.is_done(stream_))
                    return;
                relax();
            }
        } while (Clock::now() < tired);
        driver_.record(end_, stream_);
        driver_.wait_for_event(end_);
    }

    // Looks on from the result that was missing last time.
    bool have_come(int64_t count, int64_t *come) const {
        const uint64_t *results = static_cast<const uint64_t *>(results_.memory);
        while (*come < count) {
            if (__atomic_load_n(results + *come, __ATOMIC_ACQUIRE) == kAbsent) return false;
            ++*come;
        }
        return true;
    }

    Device &device_;
    const CudaDriver &driver_;
    const gkl_shim_cuda_engine_options &engine_;
    const gkl_shim_cuda_device &hardware_;
    const int64_t planning_;
    void *stream_, *end_;
    Planner planners_[2] = {{nullptr, gkl_shim_cuda_close}, {nullptr, gkl_shim_cuda_close}};
    int32_t precision_ = GKL_SHIM_SINGLE;
    const gkl_shim_cuda_array_kernels *array_kernels_ = nullptr;
    gkl_shim_cuda_chunk chunk_ = {};
    Span span_ = {};
    Buffer<void *> block_, results_;
    Buffer<uint64_t> device_block_, scratch_;
};

// One device and its slots.
class Device {
   public:
    Device(const CudaDriver &driver, const gkl_shim_cuda_engine_options &engine,
           const gkl_shim_cuda_device &hardware)
        : driver(driver), engine(engine), hardware(hardware) {}
    ~Device() {
        try {
            const CudaContext current(driver, hardware.context);
            slots_.clear();
        } catch (const CudaFailure &) {
            // Nothing can be freed.
            for (std::unique_ptr<Slot> &slot : slots_) slot.release();
        }
    }

    const CudaDriver &driver;
    const gkl_shim_cuda_engine_options &engine;
    const gkl_shim_cuda_device hardware;

    bool alive() const { return alive_; }

    // The following under the slots' common mutex.

    bool has_room() const { return !free_.empty() || int(slots_.size()) < engine.slots; }
    size_t busy() const { return slots_.size() - free_.size(); }

    Slot *slot() {
        if (!free_.empty()) {
            Slot *const slot = free_.back();
            free_.pop_back();
            return slot;
        }
        free_.reserve(slots_.size() + 1);
        const CudaContext current(driver, hardware.context);
        std::unique_ptr<Slot> made(new Slot(this, engine.planning));
        slots_.push_back(std::move(made));
        return slots_.back().get();
    }
    void release(Slot *slot) { free_.push_back(slot); }

    void retire(const ShortText &reason) {
        if (!alive_) return;
        memcpy(loss_, reason, sizeof loss_);
        untold_ = true;
        alive_ = false;
    }

    // Why it was retired, once.
    const char *loss() { return untold_ && untold_.exchange(false) ? loss_ : nullptr; }

   private:
    std::vector<std::unique_ptr<Slot>> slots_;
    std::vector<Slot *> free_;
    ShortText loss_;
    std::atomic<bool> alive_{true}, untold_{false};
};

Slot::Slot(Device *device, int64_t planning)
    : device_(*device),
      driver_(device->driver),
      engine_(device->engine),
      hardware_(device->hardware),
      planning_(planning) {
    stream_ = driver_.stream();
    try {
        end_ = driver_.event(kEventBlocking);
    } catch (const CudaFailure &) {
        driver_.free_stream(stream_);
        throw;
    }
}

// The devices, and what is free on them.
class Devices {
   public:
    Devices(const CudaDriver &driver, const gkl_shim_cuda_engine_options &engine) {
        for (int32_t k = 0; k < engine.device_count; k++)
            devices_.emplace_back(new Device(driver, engine, engine.devices[k]));
    }

    size_t count() const { return devices_.size(); }
    Device &operator[](size_t k) { return *devices_[k]; }

    // Null where there is none.
    Device *of_number(int32_t number) const {
        for (const auto &device : devices_)
            if (device->hardware.number == number) return device.get();
        return nullptr;
    }

    bool uses(int32_t number) const {
        return std::any_of(devices_.begin(), devices_.end(), [number](const auto &device) {
            return device->alive() && (number == -1 || device->hardware.number == number);
        });
    }

    // Whether any may compute it.
    bool use_for(const Input &input) const {
        return input.holder ? input.holder->alive() : uses(-1);
    }

    // A slot of the device with the fewest chunks under way; where one holds the input, of that: no
    // device reads another one's memory. Null where there is none and the caller would not wait, or
    // no device any more.
    Slot *slot(const Device *holder, bool wait) {
        std::unique_lock<std::mutex> lock(mutex_);
        for (;;) {
            bool any = false;
            Device *best = nullptr;
            for (const auto &device : devices_) {
                if (!device->alive() || (holder && holder != device.get())) continue;
                any = true;
                if (device->has_room() && (!best || device->busy() < best->busy()))
                    best = device.get();
            }
            if (best) {
                try {
                    Slot *const slot = best->slot();
                    slot->company = int32_t(best->busy()) - 1;
                    return slot;
                } catch (const CudaFailure &failure) {
                    best->retire(failure.reason);
                    changed_.notify_all();
                    continue;
                }
            }
            if (!any || !wait) return nullptr;
            changed_.wait(lock);
        }
    }

    void release(Slot *slot) {
        const std::lock_guard<std::mutex> lock(mutex_);
        slot->device().release(slot);
        changed_.notify_all();  // not everybody can use any device's
    }

    // Use it no more. Chunks that are under way on it may still get done.
    void retire(Device *device, const CudaFailure &failure) {
        const std::lock_guard<std::mutex> lock(mutex_);
        device->retire(failure.reason);
        changed_.notify_all();
    }

    const char *loss(int32_t *number) {
        for (const auto &device : devices_)
            if (const char *reason = device->loss()) {
                *number = device->hardware.number;
                return reason;
            }
        return nullptr;
    }

   private:
    std::vector<std::unique_ptr<Device>> devices_;
    std::mutex mutex_;
    std::condition_variable changed_;
};

// One thread's work for a run: several chunks under way, on whatever devices.
class Drive {
   public:
    // At most so many chunks at once.
    Drive(Devices *devices, Run *run, size_t most) : devices_(*devices), run_(*run), most_(most) {}

    // Sends the next chunk on its way, planned by so many threads where the device has nothing else
    // to do. False where there is none or all devices have failed.
    bool begin(int32_t threads) {
        try {
            flying_.reserve(most_);
            Slot *const slot = devices_.slot(run_.input.holder, flying_.empty());
            if (slot) return launch(slot, slot->company > 0 ? 1 : threads);
        } catch (const std::bad_alloc &) {
            run_.fail(out_of_memory());
        }
        return false;
    }

    // Computes chunks until there are none left or all devices have failed.
    void finish() {
        while (run_.more()) {
            if (flying_.size() < most_ && begin(1)) continue;
            if (!flying_.empty())
                land();
            else if (!devices_.use_for(run_.input))
                break;
        }
        while (!flying_.empty()) land();
    }

   private:
    bool launch(Slot *slot, int32_t threads) {
        Device &device = slot->device();
        bool started = false;
        try {
            if (slot->take(&run_, threads)) {
                const CudaContext current(device.driver, device.hardware.context);
                const gkl_shim_status status = slot->start();
                started = status == GKL_SHIM_OK;
                if (!started) run_.fail(status);
            }
        } catch (const CudaFailure &failure) {
            run_.not_done(slot->span());
            devices_.retire(&device, failure);
        } catch (const std::bad_alloc &) {
            run_.fail(out_of_memory());
        }
        if (started)
            flying_.push_back(slot);
        else
            devices_.release(slot);
        return started;
    }

    // Lets the chunk that has been under way longest come to its end.
    void land() {
        Slot *const slot = flying_.front();
        Device &device = slot->device();
        flying_.erase(flying_.begin());
        try {
            {
                const CudaContext current(device.driver, device.hardware.context);
                slot->wait();
            }
            run_.done(slot->chunk(), slot->finish());
        } catch (const CudaFailure &failure) {
            run_.not_done(slot->span());
            devices_.retire(&device, failure);
        } catch (const std::bad_alloc &) {
            run_.fail(out_of_memory());
        }
        devices_.release(slot);
    }

    Devices &devices_;
    Run &run_;
    const size_t most_;
    std::vector<Slot *> flying_;  // the longest first
};

// Some regions of a batch, as a batch.
struct Part {
    explicit Part(const Span &span) {
        const gkl_shim_pairhmm_batch &whole = *span.batch;
        const int64_t regions = span.last - span.first;
        const auto rebased = [](const int64_t *offsets, int64_t count) {
            std::vector<int64_t> from_zero(offsets, offsets + count + 1);
            for (int64_t &offset : from_zero) offset -= offsets[0];
            return from_zero;
        };
        const int64_t *first_read = whole.read_offsets + whole.region_reads[span.first];
        const int64_t *first_haplotype =
            whole.haplotype_offsets + whole.region_haplotypes[span.first];
        region_reads = rebased(whole.region_reads + span.first, regions);
        region_haplotypes = rebased(whole.region_haplotypes + span.first, regions);
        read_offsets = rebased(first_read, region_reads.back());
        haplotype_offsets = rebased(first_haplotype, region_haplotypes.back());
        batch = {regions,
                 region_reads.data(),
                 region_haplotypes.data(),
                 read_offsets.data(),
                 whole.read_bases + *first_read,
                 whole.base_quals + *first_read,
                 whole.insertion_quals + *first_read,
                 whole.deletion_quals + *first_read,
                 whole.continuation_quals + *first_read,
                 haplotype_offsets.data(),
                 whole.haplotype_bases + *first_haplotype};
    }
    Part(const Part &) = delete;

    gkl_shim_pairhmm_batch batch;
    std::vector<int64_t> region_reads, region_haplotypes, read_offsets, haplotype_offsets;
    std::vector<uint8_t> brought;  // from a device's memory
};

double median(std::vector<double> *values) {
    std::sort(values->begin(), values->end());
    const size_t half = values->size() / 2;
    return values->size() % 2 ? (*values)[half] : ((*values)[half - 1] + (*values)[half]) / 2;
}

}  // namespace
}  // namespace pairhmm
}  // namespace gkl_shim

using namespace gkl_shim;
using namespace gkl_shim::pairhmm;

struct gkl_shim_cuda_engine {
   public:
    explicit gkl_shim_cuda_engine(const gkl_shim_cuda_engine_options &options)
        : options_(options), driver_(*options.driver), devices_(driver_, options_) {
        gkl_shim_pairhmm_options cpu = {};
        cpu.threads = options.threads;
        cpu.precision = options.precision;
        cpu.conventions = options.conventions;
        gkl_shim_pairhmm *handle;
        if (gkl_shim_pairhmm_open(&cpu, &handle) != GKL_SHIM_OK) throw std::bad_alloc();
        cpu_.reset(handle);
        threads_ = allowed_threads(options.threads);
        const int32_t devices = int32_t(devices_.count());
        drivers_ = options.drivers > 0 ? options.drivers * devices
                                       : std::clamp(threads_, devices, kMostDrivers * devices);
        const int32_t chunks =
            options.streams > 0 ? options.streams * devices : std::max(2 * drivers_, 3 * devices);
        chunks_a_driver_ = size_t(std::max(1, chunks / drivers_));
    }

    // A batch in a device's memory.
    gkl_shim_status compute_arrays(const gkl_shim_pairhmm_batch &batch,
                                   const gkl_shim_cuda_array_kernels &kernels, void *stream,
                                   double *results) {
        Device *const holder = devices_.of_number(kernels.number);
        if (!holder) return invalid("device: the engine has none of number %d", kernels.number);
        std::vector<gkl_shim_cuda_prefix> prefixes;
        if (haplotypes_of(batch) > 0) {
            const gkl_shim_status status = compare(batch, kernels, stream, holder, &prefixes);
            if (status != GKL_SHIM_OK) return status;
        }
        return compute({&batch, &batch + 1, holder, &kernels, prefixes.data()}, results);
    }

    gkl_shim_status compute(const Input &input, double *results) {
        const Clock::time_point start = Clock::now();
        int64_t missing = 0;
        gkl_shim_status status = GKL_SHIM_OK;
        if (options_.precision == GKL_SHIM_SINGLE) {
            Run run(input, GKL_SHIM_SINGLE, true, results);
            status = compute_pass(&run, &missing);
            count(run);
            if (status == GKL_SHIM_OK && missing > 0) {
                rescued_pairs_ += missing;
                Run rescue(input, GKL_SHIM_DOUBLE, false, results);
                status = compute_pass(&rescue, &missing);
            }
        } else {
            fill_with_nan(input, results);
            Run run(input, GKL_SHIM_DOUBLE, false, results);
            status = compute_pass(&run, &missing);
            count(run);
        }
        if (status == GKL_SHIM_OK && missing > 0) {
            left_pairs_ += missing;
            status = complete_on_cpu(input, results);
        }
        nanoseconds_ +=
            std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count();
        return status;
    }

    const char *loss(int32_t *number) { return devices_.loss(number); }
    bool uses(int32_t number) const { return devices_.uses(number); }

    void statistics(gkl_shim_pairhmm_stats *stats) const {
        gkl_shim_pairhmm_stats cpu;
        gkl_shim_pairhmm_statistics(cpu_.get(), &cpu);
        stats->regions = regions_;
        stats->pairs = pairs_;
        stats->cells = cells_;
        stats->computed_cells = computed_cells_;
        stats->rescued_pairs = rescued_pairs_;
        stats->rescaled_pairs = cpu.rescaled_pairs;
        stats->cuda_pairs = std::max<int64_t>(0, pairs_ - left_pairs_);
        stats->seconds = double(nanoseconds_) * 1e-9;
    }

    gkl_shim_status measure(const gkl_shim_pairhmm_batch &batch, double *results, int repeats,
                            gkl_shim_cuda_stages *stages) {
        *stages = {};
        Device &device = devices_[0];
        return guarded_on_device(device.hardware.number, [&] {
            const CudaContext current(driver_, device.hardware.context);
            struct Marks {
                explicit Marks(const CudaDriver &driver) : driver(driver) {
                    for (void *&mark : at) mark = driver.event(kEventTimed);
                }
                ~Marks() {
                    for (void *mark : at)
                        if (mark) driver.free_event(mark);
                }
                const CudaDriver &driver;
                void *at[3] = {};
            } marks(driver_);
            Slot slot(&device, 0);
            const Input input = {&batch, &batch + 1};
            Run run(input, options_.precision, options_.precision == GKL_SHIM_SINGLE, results);
            if (options_.precision == GKL_SHIM_DOUBLE) fill_with_nan(input, results);
            while (slot.take(&run, threads_)) {
                // Memory is made and the kernels are loaded.
                if (const gkl_shim_status status = slot.start()) return status;
                slot.wait();
                measure_chunk(&slot, marks.at, repeats, stages);
                const Clock::time_point start = Clock::now();
                slot.finish();
                stages->collect += seconds_since(start);
                stages->chunks++;
                stages->cells += slot.chunk().cells;
                stages->computed_cells += slot.chunk().computed_cells;
                stages->block_bytes += slot.chunk().block_bytes;
            }
            return run.status;
        });
    }

   private:
    static double seconds_since(Clock::time_point start) {
        return std::chrono::duration<double>(Clock::now() - start).count();
    }

    // Finds out what haplotypes in a device's memory have in common. Where the device fails it is
    // retired, and nothing is known.
    gkl_shim_status compare(const gkl_shim_pairhmm_batch &batch,
                            const gkl_shim_cuda_array_kernels &kernels, void *stream,
                            Device *holder, std::vector<gkl_shim_cuda_prefix> *prefixes) {
        const int64_t count = haplotypes_of(batch);
        prefixes->resize(size_t(2 * count));
        Slot *const slot = devices_.slot(holder, true);
        if (!slot) return GKL_SHIM_OK;
        try {
            const CudaContext current(driver_, holder->hardware.context);
            driver_.wait_for_stream(stream);
            std::copy_n(slot->compare(batch, kernels), 2 * count, prefixes->begin());
        } catch (const CudaFailure &failure) {
            devices_.retire(holder, failure);
        }
        devices_.release(slot);
        for (int64_t g = 0; g < batch.regions; g++) {
            const size_t first = size_t(batch.region_haplotypes[g]);
            if (batch.region_haplotypes[g + 1] == batch.region_haplotypes[g]) continue;
            if ((*prefixes)[first].length == kLetterRefused ||
                (*prefixes)[first + size_t(count)].length == kLetterRefused)
                return invalid("haplotype_bases: a letter of region %lld is none of ACGTN",
                               (long long)g);
        }
        return GKL_SHIM_OK;
    }

    void measure_chunk(Slot *slot, void *const *marks, int repeats, gkl_shim_cuda_stages *stages) {
        std::vector<double> plan, write, transfer, kernel;
        for (int k = 0; k < repeats; k++) {
            Clock::time_point start = Clock::now();
            slot->plan();
            plan.push_back(seconds_since(start));
            if (slot->chunk().results == 0) break;
            start = Clock::now();
            slot->write();
            write.push_back(seconds_since(start));
            driver_.record(marks[0], slot->stream());
            slot->send();
            driver_.record(marks[1], slot->stream());
            slot->launch();
            driver_.record(marks[2], slot->stream());
            driver_.wait_for_stream(slot->stream());
            transfer.push_back(driver_.seconds(marks[0], marks[1]));
            kernel.push_back(driver_.seconds(marks[1], marks[2]));
        }
        stages->plan += median(&plan);
        if (write.empty()) return;
        stages->write += median(&write);
        stages->transfer += median(&transfer);
        stages->kernel += median(&kernel);
    }

    static void fill_with_nan(const Input &input, double *results) {
        for (const gkl_shim_pairhmm_batch *batch = input.begin; batch != input.end; batch++)
            results = std::fill_n(results, pairs_of(*batch, 0, batch->regions),
                                  std::numeric_limits<double>::quiet_NaN());
    }

    // Computes what can be computed in one precision. *missing: how many pairs are then NaN.
    gkl_shim_status compute_pass(Run *run, int64_t *missing) {
        Drive first(&devices_, run, chunks_a_driver_);
        // All threads plan the first chunk, for a device to have work. From then on each has its
        // own: what one does alone needs no waking and no waiting for others.
        if (!first.begin(threads_) || !run->more()) {
            first.finish();
        } else {
            struct Context {
                gkl_shim_cuda_engine *engine;
                Run *run;
                Drive *first;
            } context = {this, run, &first};
            parallel_for(
                drivers_, run->chunks_left() * kChunkNanoseconds, drivers_,
                [](void *pointer, int64_t k) {
                    Context &c = *static_cast<Context *>(pointer);
                    if (k == 0)
                        c.first->finish();
                    else
                        Drive(&c.engine->devices_, c.run, c.engine->chunks_a_driver_).finish();
                },
                &context);
        }
        run->close_queue();
        if (run->status != GKL_SHIM_OK) {
            fail("%s", run->message);
            return run->status;
        }
        *missing = run->missing;
        for (const Span &span : run->undone) {
            const gkl_shim_status status = compute_on_cpu(*run, span);
            if (status != GKL_SHIM_OK) return status;
        }
        return GKL_SHIM_OK;
    }

    // Regions from the start: the same values where there are some.
    gkl_shim_status compute_on_cpu(const Run &run, const Span &span) {
        const int64_t pairs = pairs_of(*span.batch, span.first, span.last);
        left_pairs_ += pairs;
        return on_host(run.input, span, [&](const Part &part, double *values) {
            return gkl_shim_pairhmm_compute(cpu_.get(), &part.batch, values, pairs);
        });
    }

    // What is NaN.
    gkl_shim_status complete_on_cpu(const Input &input, double *results) {
        const int64_t most = std::numeric_limits<int64_t>::max();
        if (input.holder) return complete_what_is_held(input, results);
        for (const gkl_shim_pairhmm_batch *batch = input.begin; batch != input.end; batch++) {
            const gkl_shim_status status =
                gkl_shim_pairhmm_complete(cpu_.get(), batch, results, most);
            if (status != GKL_SHIM_OK) return status;
            results += pairs_of(*batch, 0, batch->regions);
        }
        return GKL_SHIM_OK;
    }

    // The same of a batch in a device's memory. Only regions with such come to the host: those
    // since the last one without.
    gkl_shim_status complete_what_is_held(const Input &input, double *results) {
        const gkl_shim_pairhmm_batch &batch = *input.begin;
        Span span = {&batch, 0, 0, results};
        const double *next = results;
        const auto complete = [&] {
            return on_host(input, span, [&](const Part &part, double *values) {
                return gkl_shim_pairhmm_complete(cpu_.get(), &part.batch, values,
                                                 std::numeric_limits<int64_t>::max());
            });
        };
        for (int64_t region = 0; region < batch.regions; region++) {
            const double *const end = next + pairs_of(batch, region, region + 1);
            if (std::any_of(next, end, [](double x) { return isnan(x); })) {
                span.last = region + 1;
            } else {
                if (const gkl_shim_status status = complete()) return status;
                span.first = span.last = region + 1;
            }
            next = end;
        }
        return complete();
    }

    // Calls work(part, its results) for regions in the host's memory: all at once, or, where they
    // have to be brought there, some at a time.
    template <class Work>
    gkl_shim_status on_host(const Input &input, const Span &span, Work work) {
        const gkl_shim_pairhmm_batch &batch = *span.batch;
        double *results = span.results + pairs_of(batch, 0, span.first);
        for (Span some = {&batch, span.first, span.first, nullptr}; some.first < span.last;) {
            do {
                some.last++;
            } while (some.last < span.last && !(input.holder && bases_of(some) >= kBroughtBases));
            Part part(some);
            if (input.holder && !bring(*input.holder, &part)) return GKL_SHIM_EUNAVAILABLE;
            const gkl_shim_status status = work(part, results);
            if (status != GKL_SHIM_OK) return status;
            results += pairs_of(batch, some.first, some.last);
            some.first = some.last;
        }
        return GKL_SHIM_OK;
    }

    static int64_t bases_of(const Span &span) {
        const gkl_shim_pairhmm_batch &batch = *span.batch;
        return batch.read_offsets[batch.region_reads[span.last]] -
               batch.read_offsets[batch.region_reads[span.first]] +
               batch.haplotype_offsets[batch.region_haplotypes[span.last]] -
               batch.haplotype_offsets[batch.region_haplotypes[span.first]];
    }

    // Copies a part of a batch from a device's memory to the host's. False, with the last error
    // set, if the device does not give it.
    bool bring(const Device &holder, Part *part) const {
        gkl_shim_pairhmm_batch &batch = part->batch;
        const int64_t bases = batch.read_offsets[reads_of(batch)];
        const int64_t letters = batch.haplotype_offsets[haplotypes_of(batch)];
        part->brought.resize(size_t(5 * bases + letters));
        uint8_t *to = part->brought.data();
        try {
            const CudaContext current(driver_, holder.hardware.context);
            const auto fetch = [&](const uint8_t **track, int64_t size) {
                if (size > 0) driver_.fetch(to, reinterpret_cast<uintptr_t>(*track), size);
                *track = to;
                to += size;
            };
            for (const uint8_t **track :
                 {&batch.read_bases, &batch.base_quals, &batch.insertion_quals,
                  &batch.deletion_quals, &batch.continuation_quals})
                fetch(track, bases);
            fetch(&batch.haplotype_bases, letters);
        } catch (const CudaFailure &failure) {
            fail("GPU %d, whose memory holds the arrays, has failed: %s",
                 int(holder.hardware.number), failure.reason);
            return false;
        }
        return true;
    }

    void count(const Run &run) {
        computed_cells_ += run.computed_cells;
        if (run.undone.empty()) {
            regions_ += run.regions;
            pairs_ += run.pairs;
            cells_ += run.cells;
            return;
        }
        // What was done and what was not may overlap.
        for (auto batch = run.input.begin; batch != run.input.end; batch++) {
            regions_ += batch->regions;
            pairs_ += pairs_of(*batch, 0, batch->regions);
            for (int64_t g = 0; g < batch->regions; g++)
                cells_ += (batch->read_offsets[batch->region_reads[g + 1]] -
                           batch->read_offsets[batch->region_reads[g]]) *
                          (batch->haplotype_offsets[batch->region_haplotypes[g + 1]] -
                           batch->haplotype_offsets[batch->region_haplotypes[g]]);
        }
    }

    const gkl_shim_cuda_engine_options options_;
    const CudaDriver driver_;
    std::unique_ptr<gkl_shim_pairhmm, void (*)(gkl_shim_pairhmm *)> cpu_{nullptr,
                                                                         gkl_shim_pairhmm_close};
    Devices devices_;
    int32_t threads_, drivers_;
    size_t chunks_a_driver_;
    std::atomic<int64_t> regions_{0}, pairs_{0}, cells_{0}, computed_cells_{0}, rescued_pairs_{0},
        left_pairs_{0}, nanoseconds_{0};
};

extern "C" gkl_shim_status gkl_shim_cuda_engine_open(const gkl_shim_cuda_engine_options *options,
                                                     gkl_shim_cuda_engine **engine) {
    return opened(engine, *options);
}

extern "C" gkl_shim_status gkl_shim_cuda_engine_compute(gkl_shim_cuda_engine *engine,
                                                        const gkl_shim_pairhmm_batch *batches,
                                                        int64_t count, double *log10_likelihoods) {
    return guarded([&] {
        int64_t pairs, cells;
        for (int64_t k = 0; k < count; k++)
            if (!check_shape(batches[k], &pairs, &cells)) return GKL_SHIM_EINVAL;
        return engine->compute({batches, batches + count}, log10_likelihoods);
    });
}

extern "C" gkl_shim_status gkl_shim_cuda_engine_compute_arrays(
    gkl_shim_cuda_engine *engine, const gkl_shim_pairhmm_batch *batch,
    const gkl_shim_cuda_array_kernels *kernels, void *stream, double *log10_likelihoods) {
    return guarded([&] {
        int64_t pairs, cells;
        if (!check_shape(*batch, &pairs, &cells)) return GKL_SHIM_EINVAL;
        return engine->compute_arrays(*batch, *kernels, stream, log10_likelihoods);
    });
}

extern "C" const char *gkl_shim_cuda_engine_loss(gkl_shim_cuda_engine *engine, int32_t *number) {
    return engine->loss(number);
}

extern "C" int32_t gkl_shim_cuda_engine_uses(const gkl_shim_cuda_engine *engine, int32_t number) {
    return engine->uses(number);
}

extern "C" void gkl_shim_cuda_engine_door(gkl_shim_cuda_engine *engine, gkl_shim_cuda_door *door) {
    *door = {gkl_shim_version(),           engine,
             gkl_shim_cuda_engine_compute, gkl_shim_cuda_engine_loss,
             gkl_shim_cuda_engine_uses,    gkl_shim_last_error};
}

extern "C" void gkl_shim_cuda_engine_statistics(const gkl_shim_cuda_engine *engine,
                                                gkl_shim_pairhmm_stats *stats) {
    engine->statistics(stats);
}

extern "C" gkl_shim_status gkl_shim_cuda_engine_measure(gkl_shim_cuda_engine *engine,
                                                        const gkl_shim_pairhmm_batch *batch,
                                                        double *log10_likelihoods, int32_t repeats,
                                                        gkl_shim_cuda_stages *stages) {
    return engine->measure(*batch, log10_likelihoods, repeats, stages);
}

extern "C" void gkl_shim_cuda_engine_close(gkl_shim_cuda_engine *engine) { delete engine; }

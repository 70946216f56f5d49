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
// Results have the CPU engine's bits. A chunk that is done may lack results: pairs that single
// precision does not hold, and reads too long for it. They are copied together with those of other
// chunks and computed in double precision while further chunks are computed in single: on a device,
// or by the CPU engine where the device is slow at it. What the double kernels do not hold, and
// what a device leaves undone, goes to the CPU engine too. A device that fails once is used no
// more: what is wrong with it is seldom known.
//
// Some threads drive: each keeps a few chunks under way, and while it waits for one it computes
// what is left to the CPU. When the devices are done, all threads share the rest of that.
#include "pairhmm/cpu/engine.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "common/cpu.h"
#include "common/error.h"
#include "common/floating_point_mode.h"
#include "common/thread_pool.h"
#include "gkl_shim.h"
#include "gpu/driver.h"
#include "pairhmm/batch.h"
#include "pairhmm/cuda/arrays.h"
#include "pairhmm/cuda/layout.h"
#include "pairhmm/cuda/leftovers.h"
#include "pairhmm/letters.h"

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
// Each is kNoResult before. Who asks the driver keeps others from launching meanwhile: with 16
// callers, one region each, a sixth fewer get through.
constexpr int64_t kWatchedResults = 1 << 16;

// What a chunk takes one thread, about, and how many threads a device's chunks are shared by at
// most.
constexpr int64_t kChunkNanoseconds = 200000;
enum { kMostDrivers = 16 };

// What comes from a device's memory for the CPU engine at a time: regions of about so many bases.
constexpr int64_t kBroughtBases = 1 << 26;

// What is left for double precision goes to a device in batches of about so many cells: a third of
// a millisecond of a large device.
constexpr int64_t kRescueCells = 1 << 28;
// Fewer cells than these take one thread of the CPU no longer than a launch takes there and back,
// some 50 us, even if they are of one read, which leaves most of a vector empty.
constexpr int64_t kFewCells = 1 << 15;
// The CPU computes so many cells at a time, about a millisecond of one thread; and of a region at
// least so many reads: they fill a vector.
constexpr int64_t kPieceCells = 1 << 21, kPieceReads = 8;
// With more such pieces than this for each thread, all threads stop for them: their memory is
// bounded.
constexpr int64_t kMostPieces = 4;
// About what a thread computes of them in a nanosecond.
constexpr int64_t kPieceCellsPerNanosecond = 2;

// Who has looked for a chunk's end so long goes to sleep for it: waking takes some 20 us.
constexpr std::chrono::microseconds kAwake(200);

typedef std::unique_ptr<gkl_shim_cuda_planner, void (*)(gkl_shim_cuda_planner *)> Planner;

class Device;

// Batches, and where their bases and qualities are: in the host's memory, or those of a single one
// in the memory of the device that holds them, beside the kernels for these and what its haplotypes
// have in common.
struct Input {
    const gkl_shim_pairhmm_batch *begin, *end;
    const Device *holder = nullptr;
    const gkl_shim_cuda_array_kernels *kernels = nullptr;
    const gkl_shim_cuda_prefix *prefixes = nullptr;
    bool needs_fast_double = false;  // only a device that is not slow at it is to compute them
};

// One call: whether it has failed, what was done for it, and what the CPU has still to do.
class Call {
   public:
    explicit Call(const CpuSettings &cpu) : cpu_(cpu) {}

    // With the calling thread's last error.
    void fail(gkl_shim_status why) {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (failed_) return;
        status_ = why;
        snprintf(message_, sizeof message_, "%s", gkl_shim_last_error());
        failed_ = true;
    }
    bool failed() const { return failed_; }

    // Of the call so far, with the calling thread's last error.
    gkl_shim_status status() const {
        if (failed_) gkl_shim::fail("%s", message_);
        return status_;
    }

    // Does what may run out of memory, which fails the call.
    template <class Work>
    void attempt(Work work) {
        const gkl_shim_status status = guarded([&] {
            work();
            return GKL_SHIM_OK;
        });
        if (status != GKL_SHIM_OK) fail(status);
    }

    // Reads whose missing results the CPU is to compute, by any thread, when it has time.
    void leave(Leftovers &&reads) {
        const std::lock_guard<std::mutex> lock(mutex_);
        pieces_.push_back(std::move(reads));
        piece_count_ = int64_t(pieces_.size());
    }
    bool any_left() const { return piece_count_ > 0; }
    bool too_many_left() const { return piece_count_ > kMostPieces * cpu_.threads; }

    // Computes some of these reads, if there are any.
    bool compute_some() {
        Leftovers piece;
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            if (pieces_.empty()) return false;
            piece = std::move(pieces_.front());
            pieces_.pop_front();
            piece_count_ = int64_t(pieces_.size());
        }
        attempt([&] {
            const gkl_shim_pairhmm_batch batch = piece.batch();
            complete(batch, piece.values(), piece.pairs(), 1);
            piece.hand_over(whole(batch, piece.values()));
        });
        return true;
    }

    // Computes all of them, on all threads.
    void compute_left() {
        while (any_left() && !failed_) {
            const int64_t count = piece_count_;
            parallel_for(
                count, count * kPieceCells / kPieceCellsPerNanosecond, cpu_.threads,
                [](void *call, int64_t) { static_cast<Call *>(call)->compute_some(); }, this);
        }
    }

    // Computes the pairs that have no result, on so many threads. Throws std::bad_alloc.
    void complete(const gkl_shim_pairhmm_batch &batch, double *values, int64_t pairs, int threads) {
        CpuSettings settings = cpu_;
        settings.threads = threads;
        settings.only_missing = true;
        const bool untried = std::any_of(values, values + pairs, is_untried);
        on_cpu += std::count_if(values, values + pairs, [](double x) { return isnan(x); });
        const CpuCounts counts = compute_on_cpu(settings, batch, values);
        if (untried) computed_cells += counts.computed_cells;
        rescaled += counts.rescaled_pairs;
    }

    // Computes all pairs, as if there were no device. Throws std::bad_alloc.
    void compute(const gkl_shim_pairhmm_batch &batch, double *values, int64_t pairs) {
        on_cpu += pairs;
        const CpuCounts counts = compute_on_cpu(cpu_, batch, values);
        computed_cells += counts.computed_cells;
        rescued += counts.rescued_pairs;
        rescaled += counts.rescaled_pairs;
    }

    // As in gkl_shim_pairhmm_stats, and how many pairs the CPU has computed.
    std::atomic<int64_t> computed_cells{0}, rescued{0}, rescaled{0}, on_cpu{0};

   private:
    const CpuSettings cpu_;
    std::mutex mutex_;
    std::atomic<bool> failed_{false};
    gkl_shim_status status_ = GKL_SHIM_OK;
    ShortText message_ = "";
    std::deque<Leftovers> pieces_;
    std::atomic<int64_t> piece_count_{0};
};

// The way of some batches through one precision's kernels: the queue that their drivers take from.
class Run {
   public:
    // `fresh`: there are no results yet, and all are wanted; else those that are NaN.
    Run(Call *call, const Input &input, int32_t precision, bool fresh, double *results)
        : input(input),
          precision(precision),
          fresh(fresh),
          call_(*call),
          batch_(input.begin),
          results_(results) {
        for (const gkl_shim_pairhmm_batch *batch = batch_; batch != input.end; batch++)
            bases_left_ += batch->read_offsets[reads_of(*batch)];
        to_next_region();
    }

    const Input &input;
    const int32_t precision;
    const bool fresh;

    bool more() const { return more_ && !call_.failed(); }

    // About how many chunks are left, where one has been taken.
    int64_t chunks_left() const { return bases_left_ / std::max<int64_t>(last_bases_, 1) + 1; }

    // The next chunk, which the planner then holds, to be planned by so many threads for a device
    // that has so many others under way; false when there is none left.
    bool take(int32_t threads, int32_t company, gkl_shim_cuda_planner *planner,
              gkl_shim_cuda_chunk *chunk, Span *span) {
        std::lock_guard<std::mutex> lock(mutex_);
        while (more()) {
            place_.threads = threads;
            place_.company = company;
            const gkl_shim_cuda_chunk begin = place_;
            const int32_t taken = gkl_shim_cuda_take(planner, batch_, input.prefixes,
                                                     fresh ? nullptr : results_, &place_);
            if (taken < 0) {
                call_.fail(gkl_shim_status(-taken));
                return false;
            }
            *span = span_between(*batch_, results_, begin, place_);
            last_bases_ = batch_->read_offsets[span->last] - batch_->read_offsets[span->first];
            bases_left_ -= last_bases_;
            *chunk = place_;
            to_next_region();
            if (taken > 0) return true;
        }
        return false;
    }

    // Calls leave(span) for what has not been taken, which then has been. Nobody else takes any.
    template <class Leave>
    void take_rest(Leave leave) {
        while (more_) {
            gkl_shim_cuda_chunk end = {};
            end.region = batch_->regions;
            leave(span_between(*batch_, results_, place_, end));
            place_.pair = pairs_of(whole(*batch_, results_));
            place_.region = batch_->regions;
            to_next_region();
        }
    }

    // A device failed before these reads were done.
    void not_done(const Span &span) {
        const std::lock_guard<std::mutex> lock(mutex_);
        call_.attempt([&] { undone.push_back(span); });
    }

    std::vector<Span> undone;
    std::atomic<int64_t> missing{0};  // pairs that its chunks have left without a result

   private:
    // Goes on to the next batch where one is at its end.
    void to_next_region() {
        while (batch_ != input.end && place_.region == batch_->regions) {
            results_ += place_.pair;
            place_ = {};
            batch_++;
        }
        more_ = batch_ != input.end;
    }

    Call &call_;
    std::mutex mutex_;
    std::atomic<bool> more_;
    const gkl_shim_pairhmm_batch *batch_;  // that the next chunk is of
    double *results_;                      // of this batch
    gkl_shim_cuda_chunk place_ = {};       // in it
    int64_t bases_left_ = 0, last_bases_ = 0;
};

// Reads that chunks have left, on their way through the double kernels.
struct Rescue {
    Rescue(Call *call, Leftovers &&left, bool needs_fast_double)
        : reads(std::move(left)),
          batch(reads.batch()),
          input{&batch, &batch + 1, nullptr, nullptr, nullptr, needs_fast_double},
          run(call, input, GKL_SHIM_DOUBLE, false, reads.values()) {}
    Rescue(const Rescue &) = delete;

    Leftovers reads;
    const gkl_shim_pairhmm_batch batch;
    const Input input;
    Run run;
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
    // What the chunk is of, where it is no batch of the caller's.
    std::shared_ptr<Rescue> rescue;

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
        expected_ = 0;
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
        check(gkl_shim_cuda_write(planners_[precision_].get(), block_.memory));
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

    // Whether the results are there.
    bool arrived() { return expected_ <= kWatchedResults ? have_come() : driver_.is_done(stream_); }

    // Until they are.
    void wait() {
        const Clock::time_point tired = Clock::now() + kAwake;
        do {
            for (int k = 0; k < 64; k++) {
                if (arrived()) return;
                relax();
            }
        } while (Clock::now() < tired);
        driver_.record(end_, stream_);
        driver_.wait_for_event(end_);
    }

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
        wait();
        return static_cast<const gkl_shim_cuda_prefix *>(results_.memory);
    }

    // Puts the results where they belong; returns how many pairs have none.
    int64_t finish() {
        const int64_t missing =
            gkl_shim_cuda_finish(planners_[precision_].get(),
                                 static_cast<const double *>(results_.memory), span_.results);
        if (missing < 0) throw Failed{gkl_shim_status(-missing)};
        return missing;
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
        check(gkl_shim_cuda_open(&options, &planner));
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
        expected_ = count;
        come_ = 0;
        if (count <= kWatchedResults) memset(results_.memory, 0xff, size_t(count) * sizeof(double));
    }

    // Looks on from the result that was missing last time.
    bool have_come() {
        const uint64_t *results = static_cast<const uint64_t *>(results_.memory);
        while (come_ < expected_) {
            if (__atomic_load_n(results + come_, __ATOMIC_ACQUIRE) == kNoResult) return false;
            ++come_;
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
    int64_t expected_ = 0, come_ = 0;  // results
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
            devices_.push_back(std::make_unique<Device>(driver, engine, engine.devices[k]));
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
        return std::any_of(devices_.begin(), devices_.end(),
                           [&](const auto &device) { return suits(*device, input); });
    }

    bool any_fast_double() const {
        Input input = {};
        input.needs_fast_double = true;
        return use_for(input);
    }

    // A slot of the device with the fewest chunks under way, of those that may compute the input.
    // Null where there is none and the caller would not wait, or no device any more.
    Slot *slot(const Input &input, bool wait) {
        std::unique_lock<std::mutex> lock(mutex_);
        for (;;) {
            bool any = false;
            Device *best = nullptr;
            for (const auto &device : devices_) {
                if (!suits(*device, input)) continue;
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
    // No device reads another one's memory.
    static bool suits(const Device &device, const Input &input) {
        return device.alive() && (!input.holder || input.holder == &device) &&
               !(input.needs_fast_double && device.hardware.slow_double);
    }

    std::vector<std::unique_ptr<Device>> devices_;
    std::mutex mutex_;
    std::condition_variable changed_;
};

// One thread's work for a run: a few chunks under way, on whatever devices, and what these leave.
class Drive {
   public:
    // At most so many chunks at once.
    Drive(Devices *devices, Call *call, Run *run, size_t most)
        : devices_(*devices), call_(*call), run_(*run), most_(most) {}
    ~Drive() { land_all(); }
    Drive(const Drive &) = delete;

    // Sends the next chunk on its way, planned by so many threads where the device has nothing else
    // to do. Waits for a free slot only if told to. False where no chunk was sent.
    bool begin(int32_t threads, bool wait) {
        bool started = false;
        call_.attempt([&] {
            if (!run_.more() || !devices_.use_for(run_.input)) close_all();
            const std::shared_ptr<Rescue> rescue = ready_.empty() ? nullptr : ready_.back();
            Run &run = rescue ? rescue->run : run_;
            if (!run.more()) return;
            flying_.reserve(most_);
            if (Slot *const slot = devices_.slot(run.input, wait))
                started = launch(slot, rescue, slot->company > 0 ? 1 : threads);
            else if (rescue && !devices_.use_for(run.input))
                run.take_rest([&](const Span &span) { leave(span, rescue.get(), true); });
            if (rescue && !run.more()) ready_.pop_back();
        });
        return started;
    }

    // Computes chunks until there are none left or all devices have failed. The CPU may have work
    // left then.
    void finish() {
        while (!call_.failed()) {
            const bool idle = flying_.empty();
            if (call_.too_many_left())
                call_.compute_left();
            else if (flying_.size() < most_ && begin(1, idle && !call_.any_left()))
                continue;
            else if (idle && !any_to_begin())
                break;
            else if (idle)
                call_.compute_some();
            else if (!land(!call_.any_left()))
                call_.compute_some();
        }
        land_all();
    }

   private:
    void land_all() {
        while (!flying_.empty()) land(true);
    }

    // Who is to compute reads that lack results: any device, one that is not slow in double
    // precision, or the CPU, which counts the cells of those that nothing has tried before.
    enum Target { kAnyDevice, kFastDevice, kCpu, kCpuUntried, kTargets };

    static bool on_cpu(Target target) { return target == kCpu || target == kCpuUntried; }

    bool any_to_begin() const {
        return !ready_.empty() || (run_.more() && devices_.use_for(run_.input)) ||
               std::any_of(open_, open_ + kTargets, [](const Leftovers &l) { return !l.empty(); });
    }

    bool launch(Slot *slot, const std::shared_ptr<Rescue> &rescue, int32_t threads) {
        Device &device = slot->device();
        bool started = false;
        slot->rescue = rescue;
        try {
            if (slot->take(rescue ? &rescue->run : &run_, threads)) {
                const CudaContext current(device.driver, device.hardware.context);
                const gkl_shim_status status = slot->start();
                started = status == GKL_SHIM_OK;
                if (!started) call_.fail(status);
            }
        } catch (const CudaFailure &failure) {
            lose(slot, failure);
        } catch (...) {
            call_.fail(status_of_exception());
        }
        if (started)
            flying_.push_back(slot);
        else
            release(slot);
        return started;
    }

    // Takes the results of the chunk that has been under way longest. False where it is still under
    // way and the caller does not wait.
    bool land(bool wait) {
        Slot *const slot = flying_.front();
        Device &device = slot->device();
        try {
            {
                const CudaContext current(device.driver, device.hardware.context);
                if (!wait && !slot->arrived()) return false;
                slot->wait();
            }
            collect(slot);
        } catch (const CudaFailure &failure) {
            lose(slot, failure);
        } catch (...) {
            call_.fail(status_of_exception());
        }
        flying_.erase(flying_.begin());
        release(slot);
        return true;
    }

    void release(Slot *slot) {
        slot->rescue.reset();
        devices_.release(slot);
    }

    // Its device has failed before the chunk was done.
    void lose(Slot *slot, const CudaFailure &failure) {
        devices_.retire(&slot->device(), failure);
        if (!slot->rescue)
            run_.not_done(slot->span());
        else
            call_.attempt([&] { leave(slot->span(), slot->rescue.get(), true); });
    }

    void collect(Slot *slot) {
        const Rescue *const rescue = slot->rescue.get();
        const bool single = !rescue && run_.precision == GKL_SHIM_SINGLE;
        const int64_t missing = slot->finish();
        call_.computed_cells += slot->chunk().computed_cells;
        if (single) call_.rescued += missing;
        if (rescue)
            rescue->reads.hand_over(slot->span());
        else
            run_.missing += missing;
        // What is in a device's memory is not copied from there before all is done.
        if (missing > 0 && !run_.input.holder) leave(slot->span(), rescue, !single);
    }

    // Copies the reads of a span that lack results for who is to compute them. Long reads, which
    // are slow on the CPU, and all others that single precision has not tried, go to any device.
    void leave(const Span &span, const Rescue *rescue, bool to_cpu) {
        const Target held_by_double = devices_.any_fast_double() ? kFastDevice : kCpu;
        each_region(span, [&](int64_t region, int64_t first, int64_t last, double *values) {
            const int64_t count = haplotypes_of(*span.batch, region);
            for (auto &rows : rows_) rows.clear();
            for (int64_t read = first; read < last; read++, values += count) {
                const double *const end = values + count;
                const double *const lacking = std::find_if(static_cast<const double *>(values), end,
                                                           [](double x) { return isnan(x); });
                if (lacking == end) continue;
                const bool untried = is_untried(*lacking);
                const Target target = to_cpu    ? untried ? kCpuUntried : kCpu
                                      : untried ? kAnyDevice
                                                : held_by_double;
                double *const to = rescue ? rescue->reads.destination(read) : values;
                rows_[target].push_back({read, values, to});
            }
            for (int target = 0; target < kTargets; target++)
                add(Target(target), *span.batch, region, &rows_[target]);
        });
        // The rescue goes, and another may come to be where it was.
        if (rescue)
            for (Leftovers &open : open_) open.end_region();
    }

    // Rows of neighbours in length are computed together.
    void add(Target target, const gkl_shim_pairhmm_batch &batch, int64_t region,
             std::vector<Leftovers::Row> *rows) {
        const auto length = [&](const Leftovers::Row &row) {
            return batch.read_offsets[row.read + 1] - batch.read_offsets[row.read];
        };
        std::stable_sort(rows->begin(), rows->end(),
                         [&](const Leftovers::Row &x, const Leftovers::Row &y) {
                             return length(x) > length(y);
                         });
        Leftovers &open = open_[target];
        const int64_t most = on_cpu(target) ? kPieceCells : kRescueCells;
        for (size_t k = 0; k < rows->size(); k++) {
            if (k % kPieceReads == 0 && open.cells >= most) close(target);
            open.add(batch, region, (*rows)[k]);
        }
        if (open.cells >= most) close(target);
    }

    void close(Target target) {
        Leftovers closed = std::exchange(open_[target], Leftovers());
        if (on_cpu(target) || (target == kFastDevice && closed.cells < kFewCells))
            call_.leave(std::move(closed));
        else
            ready_.push_back(
                std::make_shared<Rescue>(&call_, std::move(closed), target == kFastDevice));
    }

    void close_all() {
        for (int target = 0; target < kTargets; target++)
            if (!open_[target].empty()) close(Target(target));
    }

    Devices &devices_;
    Call &call_;
    Run &run_;
    const size_t most_;
    std::vector<Slot *> flying_;  // the longest first
    Leftovers open_[kTargets];    // that are still added to
    std::vector<std::shared_ptr<Rescue>> ready_;
    std::vector<Leftovers::Row> rows_[kTargets];  // of a region
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
        : options_(options),
          driver_(*options.driver),
          threads_(allowed_threads(options.threads)),
          cpu_{&cpu_builds().best(), threads_, options.precision == GKL_SHIM_DOUBLE,
               options.conventions == GKL_SHIM_AS_GKL},
          devices_(driver_, options_) {
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

    // `done`: what was done for this call; null where nobody asks.
    gkl_shim_status compute(const Input &input, double *results,
                            gkl_shim_pairhmm_stats *done = nullptr) {
        const Clock::time_point start = Clock::now();
        Call call(cpu_);
        const gkl_shim_status status = compute_all(&call, input, results);
        if (status != GKL_SHIM_OK) return status;
        gkl_shim_pairhmm_stats stats = {};
        for (const gkl_shim_pairhmm_batch *batch = input.begin; batch != input.end; batch++)
            add_size(*batch, &stats);
        stats.computed_cells = call.computed_cells;
        stats.rescued_pairs = call.rescued;
        stats.rescaled_pairs = call.rescaled;
        stats.cuda_pairs = stats.pairs - call.on_cpu;
        stats.seconds = seconds_since(start);
        if (done) *done = stats;
        const std::lock_guard<std::mutex> lock(totals_mutex_);
        totals_.regions += stats.regions;
        totals_.pairs += stats.pairs;
        totals_.cells += stats.cells;
        totals_.computed_cells += stats.computed_cells;
        totals_.rescued_pairs += stats.rescued_pairs;
        totals_.rescaled_pairs += stats.rescaled_pairs;
        totals_.cuda_pairs += stats.cuda_pairs;
        totals_.seconds += stats.seconds;
        return GKL_SHIM_OK;
    }

    const char *loss(int32_t *number) { return devices_.loss(number); }
    bool uses(int32_t number) const { return devices_.uses(number); }

    void statistics(gkl_shim_pairhmm_stats *stats) const {
        const std::lock_guard<std::mutex> lock(totals_mutex_);
        *stats = totals_;
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
            Call call(cpu_);
            Run run(&call, input, options_.precision, options_.precision == GKL_SHIM_SINGLE,
                    results);
            if (options_.precision == GKL_SHIM_DOUBLE) clear(input, results);
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
            return call.status();
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
        Slot *const slot = devices_.slot({&batch, &batch + 1, holder}, true);
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

    // There are no results yet.
    static void clear(const Input &input, double *results) {
        for (const gkl_shim_pairhmm_batch *batch = input.begin; batch != input.end; batch++)
            results = std::fill_n(results, pairs_of(whole(*batch, results)), no_result());
    }

    gkl_shim_status compute_all(Call *call, const Input &input, double *results) {
        const bool single = options_.precision == GKL_SHIM_SINGLE;
        if (!single) clear(input, results);
        Run run(call, input, options_.precision, single, results);
        if (const gkl_shim_status status = compute_run(call, &run)) return status;
        if (!input.holder || run.missing == 0) return GKL_SHIM_OK;
        // Of a batch in a device's memory.
        const int64_t pairs = pairs_of(whole(*input.begin, results));
        if (single && (!input.holder->hardware.slow_double ||
                       std::any_of(results, results + pairs, is_untried))) {
            Run rescue(call, input, GKL_SHIM_DOUBLE, false, results);
            if (const gkl_shim_status status = compute_run(call, &rescue)) return status;
            if (rescue.missing == 0) return GKL_SHIM_OK;
        }
        return complete_what_is_held(call, input, results);
    }

    gkl_shim_status compute_run(Call *call, Run *run) {
        Drive first(&devices_, call, run, chunks_a_driver_);
        // All threads plan the first chunk, for a device to have work. From then on each has its
        // own: what one does alone needs no waking and no waiting for others.
        if (!first.begin(threads_, true) || !run->more()) {
            first.finish();
        } else {
            struct Context {
                gkl_shim_cuda_engine *engine;
                Call *call;
                Run *run;
                Drive *first;
            } context = {this, call, run, &first};
            parallel_for(
                drivers_, run->chunks_left() * kChunkNanoseconds, drivers_,
                [](void *pointer, int64_t k) {
                    Context &c = *static_cast<Context *>(pointer);
                    if (k == 0)
                        c.first->finish();
                    else
                        Drive(&c.engine->devices_, c.call, c.run, c.engine->chunks_a_driver_)
                            .finish();
                },
                &context);
        }
        call->compute_left();
        call->attempt(
            [&] { run->take_rest([&](const Span &span) { run->undone.push_back(span); }); });
        if (call->failed()) return call->status();
        for (const Span &span : run->undone)
            if (const gkl_shim_status status = compute_undone(call, *run, span)) return status;
        return GKL_SHIM_OK;
    }

    // What no device has come to.
    gkl_shim_status compute_undone(Call *call, const Run &run, const Span &span) {
        return on_host(run.input, span, [&](const PartialBatch &part, const Span &some) {
            const gkl_shim_pairhmm_batch &batch = part.batch;
            double *const values = some.results + some.pair;
            const int64_t letters = batch.haplotype_offsets[haplotypes_of(batch)];
            const int64_t refused = find_refused(cpu_.as_gkl, batch.haplotype_bases, letters);
            if (refused >= 0) {
                int64_t region = 0;
                const int64_t *const ends = batch.haplotype_offsets;
                while (ends[batch.region_haplotypes[region + 1]] <= refused) region++;
                return refused_letter(some.region + region);
            }
            if (run.fresh)
                call->compute(batch, values, pairs_of(some));
            else
                call->complete(batch, values, pairs_of(some), threads_);
            return GKL_SHIM_OK;
        });
    }

    static gkl_shim_status refused_letter(int64_t region) {
        return invalid("haplotype_bases: a letter of region %lld is none of ACGTN",
                       (long long)region);
    }

    // The pairs without results of a batch in a device's memory. Only regions with such come to the
    // host: those since the last one without.
    gkl_shim_status complete_what_is_held(Call *call, const Input &input, double *results) {
        const gkl_shim_pairhmm_batch &batch = *input.begin;
        Span span = {&batch, results, 0, 0, 0, 0};
        const auto complete = [&] {
            return on_host(input, span, [&](const PartialBatch &part, const Span &some) {
                call->complete(part.batch, some.results + some.pair, pairs_of(some), threads_);
                return GKL_SHIM_OK;
            });
        };
        gkl_shim_status status = GKL_SHIM_OK;
        each_region(whole(batch, results),
                    [&](int64_t g, int64_t, int64_t last, const double *values) {
                        if (status != GKL_SHIM_OK) return;
                        const double *const end =
                            values + (last - batch.region_reads[g]) * haplotypes_of(batch, g);
                        if (std::any_of(values, end, [](double x) { return isnan(x); })) {
                            span.last = last;
                            return;
                        }
                        status = complete();
                        span = {&batch, results, g + 1, last, last, end - results};
                    });
        return status == GKL_SHIM_OK ? complete() : status;
    }

    // Calls work(part, its span) for reads in the host's memory: all at once, or, where they have
    // to be brought there, some regions at a time.
    template <class Work>
    gkl_shim_status on_host(const Input &input, const Span &span, Work work) {
        const gkl_shim_pairhmm_batch &batch = *span.batch;
        for (Span left = span; left.first < left.last;) {
            Span some = left;
            int64_t end = left.region;
            if (input.holder) {
                do {
                    some.last = std::min(batch.region_reads[++end], left.last);
                } while (some.last < left.last && bases_of(some) < kBroughtBases);
            }
            PartialBatch part(some);
            if (input.holder && !bring(*input.holder, &part)) return GKL_SHIM_EUNAVAILABLE;
            if (const gkl_shim_status status = work(part, some)) return status;
            left = {&batch, left.results, end, some.last, left.last, left.pair + pairs_of(some)};
        }
        return GKL_SHIM_OK;
    }

    static int64_t bases_of(const Span &span) {
        return span.batch->read_offsets[span.last] - span.batch->read_offsets[span.first];
    }

    // Copies a part of a batch from a device's memory to the host's. False, with the last error
    // set, if the device does not give it.
    bool bring(const Device &holder, PartialBatch *part) const {
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
            for (const auto track : kReadTracks) fetch(&(batch.*track), bases);
            fetch(&batch.haplotype_bases, letters);
        } catch (const CudaFailure &failure) {
            fail("GPU %d, whose memory holds the arrays, has failed: %s",
                 int(holder.hardware.number), failure.reason);
            return false;
        }
        return true;
    }

    static void add_size(const gkl_shim_pairhmm_batch &batch, gkl_shim_pairhmm_stats *stats) {
        stats->regions += batch.regions;
        for (int64_t g = 0; g < batch.regions; g++) {
            const int64_t *const reads = batch.region_reads + g;
            const int64_t *const haplotypes = batch.region_haplotypes + g;
            stats->pairs += (reads[1] - reads[0]) * (haplotypes[1] - haplotypes[0]);
            stats->cells +=
                (batch.read_offsets[reads[1]] - batch.read_offsets[reads[0]]) *
                (batch.haplotype_offsets[haplotypes[1]] - batch.haplotype_offsets[haplotypes[0]]);
        }
    }

    const gkl_shim_cuda_engine_options options_;
    const CudaDriver driver_;
    const int32_t threads_;
    const CpuSettings cpu_;
    Devices devices_;
    int32_t drivers_;
    size_t chunks_a_driver_;
    mutable std::mutex totals_mutex_;
    gkl_shim_pairhmm_stats totals_ = {};
};

extern "C" gkl_shim_status gkl_shim_cuda_engine_open(const gkl_shim_cuda_engine_options *options,
                                                     gkl_shim_cuda_engine **engine) {
    return opened(engine, *options);
}

extern "C" gkl_shim_status gkl_shim_cuda_engine_compute(gkl_shim_cuda_engine *engine,
                                                        const gkl_shim_pairhmm_batch *batches,
                                                        int64_t count, double *log10_likelihoods,
                                                        gkl_shim_pairhmm_stats *done) {
    return guarded([&] {
        int64_t pairs, cells;
        for (int64_t k = 0; k < count; k++)
            if (!check_shape(batches[k], &pairs, &cells)) return GKL_SHIM_EINVAL;
        return engine->compute({batches, batches + count}, log10_likelihoods, done);
    });
}

extern "C" gkl_shim_status gkl_shim_cuda_engine_compute_arrays(
    gkl_shim_cuda_engine *engine, const gkl_shim_pairhmm_batch *batch,
    const gkl_shim_cuda_array_kernels *kernels, void *stream, double *log10_likelihoods) {
    return guarded(
        [&] { return engine->compute_arrays(*batch, *kernels, stream, log10_likelihoods); });
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
    const FloatingPointMode mode;
    engine->statistics(stats);
}

extern "C" gkl_shim_status gkl_shim_cuda_engine_measure(gkl_shim_cuda_engine *engine,
                                                        const gkl_shim_pairhmm_batch *batch,
                                                        double *log10_likelihoods, int32_t repeats,
                                                        gkl_shim_cuda_stages *stages) {
    return engine->measure(*batch, log10_likelihoods, repeats, stages);
}

extern "C" void gkl_shim_cuda_engine_close(gkl_shim_cuda_engine *engine) {
    const FloatingPointMode mode;
    delete engine;
}

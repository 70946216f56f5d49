#include "correct/cuda/counter.h"

#include <algorithm>

#include "common/interrupt.h"
#include "correct/cuda/staging.h"
#include "correct/on_cpu.h"
#include "gpu/free_in.h"

namespace gkl_shim::correct {

DeviceCounter::DeviceCounter(CudaEngine *engine, int k, int64_t memory_bytes, int least)
    : Counter(k, least), engine_(*engine), memory_bytes_(memory_bytes), counted_(kPartitions) {}

DeviceCounter::~DeviceCounter() {
    const std::lock_guard<std::mutex> lock(engine_.counting);
    close_all();
}

template <class Work>
void DeviceCounter::on_each(Work work) {
    for (auto &tables : devices_) {
        if (!tables) continue;
        gpu::Device &device = tables->device();
        try {
            const CudaContext current(engine_.driver, device.context);
            work(*tables);
        } catch (const CudaFailure &failure) {
            engine_.devices.retire(&device, failure);
        }
        if (!device.alive()) close(&tables);
    }
}

void DeviceCounter::close(std::unique_ptr<DeviceTables> *tables) const {
    gpu::free_in(engine_.driver, (*tables)->device().context, *tables);
}

void DeviceCounter::close_all() {
    for (auto &tables : devices_)
        if (tables) close(&tables);
    devices_.clear();
}

void DeviceCounter::open_pass(int64_t kmers) {
    std::vector<int> partitions;
    for (int p = 0; p < kPartitions; p++)
        if (!counted_[size_t(p)]) partitions.push_back(p);
    std::vector<gpu::Device *> alive;
    for (size_t k = 0; k < engine_.devices.count(); k++)
        if (engine_.devices[k].alive()) alive.push_back(&engine_.devices[k]);
    const size_t most = std::min(alive.size(), partitions.size());
    open_ = true;
    chunk_bases_ = DeviceTables::kMaxChunkBases;
    for (size_t d = 0; d < most; d++) {
        const std::vector<int> share(
            partitions.begin() + ptrdiff_t(partitions.size() * d / most),
            partitions.begin() + ptrdiff_t(partitions.size() * (d + 1) / most));
        try {
            const CudaContext current(engine_.driver, alive[d]->context);
            devices_.push_back(std::make_unique<DeviceTables>(&engine_, alive[d], k(), share,
                                                              memory_bytes_, kmers));
            chunk_bases_ = std::min(chunk_bases_, devices_.back()->chunk_bases());
        } catch (const CudaFailure &failure) {
            engine_.devices.retire(alive[d], failure);
        }
    }
}

void DeviceCounter::count(const Read *reads, int64_t count) {
    if (cpu_) return cpu_->count(reads, count);
    const std::lock_guard<std::mutex> lock(engine_.counting);
    const Uninterrupted has_lock;
    engine_.staged_slots = -1;
    const ReadBlocks blocks(reads, count, k(), engine_.threads);
    if (!open_) open_pass(blocks.cut(0, 2 * DeviceTables::kMaxChunkBases).kmers);
    int stage = 0;
    for (int64_t begin = 0; begin < count; stage = (stage + 1) % CudaEngine::kStages) {
        const Cut cut = blocks.cut(begin, chunk_bases_);
        const int64_t some = cut.end - begin;
        const int64_t letters_at = gpu::aligned((some + 1) * int64_t(sizeof(uint32_t)));
        on_each([&](DeviceTables &tables) { tables.wait(stage); });
        bool staged = false;
        on_each([&](DeviceTables &tables) {
            if (!staged) {
                gpu::KeptMemory<void *> &pinned = engine_.stages[stage];
                if (pinned.size() < letters_at + cut.bases) {
                    // No device uses it.
                    pinned.free(engine_.driver);
                    pinned.grow(engine_.driver, tables.stream(stage), letters_at + cut.bases);
                }
                uint8_t *const at = pinned.as<uint8_t>();
                blocks.stage(begin, cut.end, reinterpret_cast<uint32_t *>(at), at + letters_at,
                             nullptr, engine_.threads);
                staged = true;
            }
            tables.count(stage, cut, some, letters_at);
        });
        begin = cut.end;
    }
    // The next call, of any counter, uses the same pinned memory.
    on_each([](DeviceTables &tables) { tables.wait_for_all(); });
}

bool DeviceCounter::end_pass() {
    if (cpu_) {
        if (!cpu_->end_pass()) return false;
        adopt(cpu_.get());
        return true;
    }
    const std::lock_guard<std::mutex> lock(engine_.counting);
    const Uninterrupted has_lock;
    engine_.staged_slots = -1;
    if (!open_) return true;  // there was no read
    const auto left = [&] { return std::count(counted_.begin(), counted_.end(), false); };
    const auto before = left();
    Histogram seen = histogram_;
    const auto add = [](const Histogram &counts, Histogram *sum) {
        for (size_t k = 0; k < counts.size(); k++) (*sum)[k] += counts[k];
    };
    int64_t finished = 0;
    on_each([&](DeviceTables &tables) {
        tables.finish();
        add(tables.histogram(), &seen);
        finished += tables.finished();
    });
    const uint64_t from = uint64_t(least_to_keep(seen, finished == before));
    on_each([&](DeviceTables &tables) {
        tables.fetch(from, &kept_, &counted_);
        add(tables.histogram(), &histogram_);
    });
    close_all();
    open_ = false;
    if (left() == before) {
        // No device can go on.
        start_again();
        cpu_ = counter_on_cpu(k(), engine_.threads, memory_bytes_, least_);
        return false;
    }
    if (left() > 0) return false;
    if (finish_or_start_again()) return true;
    std::fill(counted_.begin(), counted_.end(), false);
    return false;
}

}  // namespace gkl_shim::correct

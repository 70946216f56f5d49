// The CUDA engine.
//
// A counter (counter.h) counts k-mers in tables on the devices, each of which counts some of the
// partitions. To correct reads, they are cut into chunks (chunk.h), which launch threads take to
// the devices (gpu/launch_threads.h). Several chunks are in flight at once, so that copying,
// transfers and kernels overlap. Each device has a copy of the spectrum, or reads one that is in
// pinned memory of the host.
#include "correct/cuda/engine.h"

#include <algorithm>
#include <utility>

#include "common/cpu.h"
#include "common/error.h"
#include "common/memory/copy.h"
#include "correct/cuda/chunk.h"
#include "correct/on_cpu.h"
#include "gpu/call.h"
#include "gpu/free_in.h"
#include "gpu/ranges.h"
#include "python_host/python_host.h"

namespace gkl_shim::correct {
namespace {

// Launch threads of a device, and the most chunks that each has in flight.
enum { kLaunchThreads = 6, kChunksPerThread = 2, kSlots = kLaunchThreads * kChunksPerThread };
// Bases of a chunk, about.
constexpr int64_t kMaxChunkBases = int64_t(1) << 22, kMinChunkBases = int64_t(1) << 18;
// The approximate time that a chunk takes one launch thread.
constexpr int64_t kChunkNanoseconds = 1000000;

int64_t slot_bytes(const Spectrum &spectrum) {
    return int64_t(spectrum.slot_count() * sizeof *spectrum.slots());
}

}  // namespace

DeviceSlots::DeviceSlots(CudaEngine *engine, const gpu::Device &device, const Spectrum &spectrum,
                         Place place, void *stream)
    : number(spectrum.number()),
      view(spectrum.view()),
      driver_(device.driver),
      context_(device.context) {
    const int64_t bytes = slot_bytes(spectrum);
    if (place == kOnHost) {
        on_host_ = std::make_unique<gpu::Memory<void *>>(driver_, bytes);
        copy_all({{on_host_->address(), spectrum.slots(), bytes}}, engine->threads);
        view.slots = on_host_->as<const uint32_t>();
    } else {
        on_device_ = std::make_unique<gpu::Memory<uint64_t>>(driver_, bytes);
        engine->send_slots(spectrum, on_device_->address(), stream);
        view.slots = on_device_->as<const uint32_t>();
    }
}

DeviceSlots::~DeviceSlots() { gpu::free_in(driver_, context_, on_device_, on_host_); }

CudaEngine::CudaEngine(const gkl_shim_correct_cuda_options &options)
    : gkl_shim_cuda_engine(
          *options.driver, kSlots,
          [this](gpu::Device *device) { return std::make_unique<DeviceChunk>(device, this); }),
      threads(allowed_threads(options.threads)),
      hardware_(options.devices, options.devices + options.device_count),
      chunk_bases_(options.chunk_bases) {
    for (const gkl_shim_correct_cuda_device &device : hardware_) {
        devices.add(device.number, device.context);
        shared_.push_back(std::make_unique<Shared>());
    }
}

CudaEngine::~CudaEngine() {
    try {
        const CudaContext current(driver, hardware_[0].context);
        for (auto &stage : stages) stage.free(driver);
    } catch (const CudaFailure &) {
        // The device has failed. The memory goes with the process.
    }
}

std::shared_ptr<const DeviceSlots> CudaEngine::slots(const gpu::Device &device,
                                                     const Spectrum &spectrum, void *stream) {
    const DeviceSlots::Place place = slot_bytes(spectrum) <= hardware(device).memory_bytes
                                         ? DeviceSlots::kOnDevice
                                         : DeviceSlots::kOnHost;
    Shared &shared = place == DeviceSlots::kOnDevice ? *shared_[device.index] : on_host_;
    const std::lock_guard<std::mutex> lock(shared.mutex);
    if (!shared.slots || shared.slots->number != spectrum.number()) {
        shared.slots.reset();
        shared.slots = std::make_shared<const DeviceSlots>(this, device, spectrum, place, stream);
    }
    return shared.slots;
}

void CudaEngine::send_slots(const Spectrum &spectrum, uint64_t to, void *stream) {
    const int64_t bytes = slot_bytes(spectrum);
    const uint8_t *const slots = reinterpret_cast<const uint8_t *>(spectrum.slots());
    std::unique_lock<std::mutex> lock(counting);
    int64_t room = 0;
    for (const auto &stage : stages) room += stage.size();
    if (room < bytes) {
        lock.unlock();
        driver.send(to, slots, bytes, stream);
        driver.wait_for_stream(stream);
        return;
    }
    const bool staged = std::exchange(staged_slots, -1) == spectrum.number();
    int64_t done = 0;
    for (const auto &stage : stages) {
        const int64_t some = std::min(stage.size(), bytes - done);
        if (some == 0) continue;
        if (!staged) copy_all({{stage.address(), slots + done, some}}, threads, Calls::kSeveral);
        driver.send(to + uint64_t(done), stage.address(), some, stream);
        done += some;
    }
    driver.wait_for_stream(stream);
    staged_slots = spectrum.number();
}

void CudaEngine::correct(const Settings &settings, const Spectrum &spectrum, const Read *reads,
                         int64_t count, Outcome *outcomes) {
    const ReadBlocks blocks(reads, count, spectrum.k(), settings.threads);
    const CorrectCall work = {settings, spectrum, reads, blocks, outcomes};
    const int32_t most = int32_t(devices.count()) * kLaunchThreads;
    const int32_t launching = std::min(settings.threads, most);
    const int64_t chunk = chunk_bases_ > 0
                              ? chunk_bases_
                              : std::clamp(blocks.bases() / (launching * kChunksPerThread),
                                           kMinChunkBases, kMaxChunkBases);
    gpu::Call call;
    ChunkQueue queue(&call, work, count, chunk);
    const gpu::LaunchLimits limits = {launching, kChunksPerThread, settings.threads,
                                      kChunkNanoseconds};
    gpu::compute_ranges(&devices, &call, &queue, limits);
    check(call.status());
    for (const gpu::Range &undone : queue.undone())
        correct_on_cpu(settings, spectrum, reads + undone.first, undone.count(),
                       outcomes + undone.first);
}

}  // namespace gkl_shim::correct

using namespace gkl_shim;
using namespace gkl_shim::correct;

extern "C" gkl_shim_status gkl_shim_correct_cuda_open(const gkl_shim_correct_cuda_options *options,
                                                      gkl_shim_cuda_engine **engine) {
    return gpu::opened_engine<CudaEngine>(engine, *options);
}

extern "C" gkl_shim_status gkl_shim_correct_cuda_engine_open(const char *devices,
                                                             gkl_shim_cuda_engine **engine) {
    const auto open = [](const void *record, gkl_shim_cuda_engine **made) {
        return gkl_shim_correct_cuda_open(
            static_cast<const gkl_shim_correct_cuda_options *>(record), made);
    };
    return open_engine("correct", devices, open, engine);
}

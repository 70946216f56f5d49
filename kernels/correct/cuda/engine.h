// The CUDA engine, for its own files.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "correct/outcome.h"
#include "correct/reads.h"
#include "correct/spectrum/spectrum.h"
#include "gkl_shim_internal.h"
#include "gpu/engine.h"
#include "gpu/kept_memory.h"

namespace gkl_shim::correct {

class CudaEngine;

// A spectrum's slots where the kernels of a device can read them. The device's context is current
// when they are made.
class DeviceSlots {
   public:
    enum Place { kOnDevice, kOnHost };

    // On the device; or in pinned memory of the host, which every device reads over the bus.
    DeviceSlots(CudaEngine *engine, const gpu::Device &device, const Spectrum &spectrum,
                Place place, void *stream);
    ~DeviceSlots();
    DeviceSlots(const DeviceSlots &) = delete;

    const int64_t number;  // of the spectrum
    SpectrumView view;

   private:
    // Not the Device, which may be destroyed first: pinned memory is shared by all devices.
    const CudaDriver &driver_;
    void *const context_;
    std::unique_ptr<gpu::Memory<uint64_t>> on_device_;
    std::unique_ptr<gpu::Memory<void *>> on_host_;
};

// The devices, what they share, and the settings of calls.
class CudaEngine : public gkl_shim_cuda_engine {
   public:
    // Chunks that are staged for counting at the same time.
    enum { kStages = 3 };

    explicit CudaEngine(const gkl_shim_correct_cuda_options &options);
    ~CudaEngine() override;

    // Corrects reads in place. The CPU corrects those that no device does. Throws std::bad_alloc
    // and Failed.
    void correct(const Settings &settings, const Spectrum &spectrum, const Read *reads,
                 int64_t count, Outcome *outcomes);

    // The spectrum for a device, whose context is current. The last one is kept.
    std::shared_ptr<const DeviceSlots> slots(const gpu::Device &device, const Spectrum &spectrum,
                                             void *stream);

    const gkl_shim_correct_cuda_device &hardware(const gpu::Device &device) const {
        return hardware_[device.index];
    }

    const int threads;

    // Sends a spectrum's slots to a device, from pinned memory if counting has left enough of it.
    void send_slots(const Spectrum &spectrum, uint64_t to, void *stream);

    // For the counter that is counting.
    std::mutex counting;
    gpu::KeptMemory<void *> stages[kStages];
    int64_t staged_slots = -1;  // the number of the spectrum whose slots are there, or -1

   private:
    struct Shared {
        std::mutex mutex;
        std::shared_ptr<const DeviceSlots> slots;
    };

    const std::vector<gkl_shim_correct_cuda_device> hardware_;
    const int64_t chunk_bases_;
    std::vector<std::unique_ptr<Shared>> shared_;
    Shared on_host_;  // for devices whose memory is too small
};

}  // namespace gkl_shim::correct

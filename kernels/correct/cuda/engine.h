// The CUDA engine: its devices, and what they share.
#pragma once

#include <stdint.h>

#include <memory>
#include <mutex>
#include <vector>

#include "correct/cpu/engine.h"
#include "correct/cpu/spectrum.h"
#include "gkl_shim_internal.h"
#include "gpu/devices.h"
#include "gpu/driver.h"
#include "gpu/kept_memory.h"

namespace gkl_shim {
namespace correct {

// A spectrum's slots in the memory of a device, whose context is current when it is made.
class DeviceSlots {
   public:
    DeviceSlots(const gpu::Device &device, const Spectrum &spectrum, void *stream);
    ~DeviceSlots();
    DeviceSlots(const DeviceSlots &) = delete;

    const int64_t number;  // of the spectrum
    const SpectrumView view;

   private:
    DeviceSlots(const gpu::Device &device, const Spectrum &spectrum, uint64_t address);
    const gpu::Device &device_;
    const uint64_t address_;
};

class Engine {
   public:
    // Chunks that are staged for counting at the same time.
    enum { kStages = 3 };

    explicit Engine(const gkl_shim_correct_cuda_options &options);
    ~Engine();
    Engine(const Engine &) = delete;

    // Corrects reads in place. The CPU corrects those that no device does.
    gkl_shim_status correct(const CpuSettings &settings, const Spectrum &spectrum,
                            const Read *reads, int64_t count, Outcome *outcomes);

    // The same with all reads at once on the first device. *seconds becomes the median time of the
    // kernel alone.
    gkl_shim_status measure(const CpuSettings &settings, const Spectrum &spectrum,
                            const Read *reads, int64_t count, Outcome *outcomes, int repeats,
                            double *seconds);

    // The spectrum on a device, whose context is current. A device keeps the last one.
    std::shared_ptr<const DeviceSlots> slots(const gpu::Device &device, const Spectrum &spectrum,
                                             void *stream);

    const gkl_shim_correct_cuda_device &hardware(const gpu::Device &device) const {
        return hardware_[device.index];
    }

    const CudaDriver driver;
    gpu::Devices devices;
    const int threads;

    // For the counter that counts.
    std::mutex counting;
    gpu::KeptMemory<void *> stages[kStages];

   private:
    struct Shared {
        std::mutex mutex;
        std::shared_ptr<const DeviceSlots> slots;
    };

    const std::vector<gkl_shim_correct_cuda_device> hardware_;
    const int64_t chunk_bases_;
    std::vector<std::unique_ptr<Shared>> shared_;
};

}  // namespace correct
}  // namespace gkl_shim

struct gkl_shim_correct_cuda {
    gkl_shim::correct::Engine engine;
};

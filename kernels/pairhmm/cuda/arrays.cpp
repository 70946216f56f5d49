// What is looked for in arrays in a device's memory before they are a batch.
#include "pairhmm/cuda/arrays.h"

#include <algorithm>
#include <memory>
#include <mutex>

#include "common/error.h"
#include "common/floating_point_mode.h"
#include "gkl_shim.h"
#include "gpu/driver.h"

using namespace gkl_shim;
using namespace gkl_shim::pairhmm;

// Blocks of a multiprocessor that reads memory.
static constexpr int64_t kBlocks = 8;

struct gkl_shim_cuda_checker {
   public:
    gkl_shim_cuda_checker(const gkl_shim_cuda_driver &driver,
                          const gkl_shim_cuda_array_kernels &kernels)
        : driver_(driver), kernels_(kernels) {}
    ~gkl_shim_cuda_checker() {
        try {
            const CudaContext current(driver_, kernels_.context);
            if (stream_) driver_.free_stream(stream_);
            driver_.free(faults_);
            driver_.free(places_);
        } catch (const CudaFailure &) {
            // Nothing can be freed.
        }
    }
    gkl_shim_cuda_checker(const gkl_shim_cuda_checker &) = delete;

    int32_t number() const { return kernels_.number; }

    void prepare() {
        const CudaContext current(driver_, kernels_.context);
        stream_ = driver_.stream();
        driver_.allocate(sizeof(Faults), &faults_);
        driver_.allocate(kMostTracks * sizeof(uint64_t), &places_);
        driver_.fill(faults_, kNoFault, sizeof(Faults), stream_);
    }

    void check(const Tracks &tracks, int32_t count, int64_t size, void *stream, int64_t *places) {
        const CudaContext current(driver_, kernels_.context);
        // Before the lock, since that may take long: others need not wait for it.
        driver_.wait_for_stream(stream);
        const std::lock_guard<std::mutex> lock(mutex_);
        const int64_t a_block = kArrayThreads * int64_t(sizeof(uint64_t));
        const int64_t blocks =
            std::min(kBlocks * kernels_.multiprocessors, (size + a_block - 1) / a_block);
        Tracks its_tracks = tracks;
        void *parameters[] = {&its_tracks, &size, &faults_, &places_};
        driver_.launch(kernels_.first_wrong, int32_t(blocks), count, kArrayThreads, 0, stream_,
                       parameters);
        driver_.wait_for_stream(stream_);
        std::copy_n(static_cast<const int64_t *>(places_), count, places);
    }

   private:
    const CudaDriver driver_;
    const gkl_shim_cuda_array_kernels kernels_;
    // Of one check at a time: it keeps all of a device's memory busy.
    std::mutex mutex_;
    void *stream_ = nullptr;
    uint64_t faults_ = 0;
    void *places_ = nullptr;
};

extern "C" gkl_shim_status gkl_shim_cuda_checker_open(const gkl_shim_cuda_driver *driver,
                                                      const gkl_shim_cuda_array_kernels *kernels,
                                                      gkl_shim_cuda_checker **checker) {
    *checker = nullptr;
    return guarded_on_device(kernels->number, [&] {
        std::unique_ptr<gkl_shim_cuda_checker> made(new gkl_shim_cuda_checker(*driver, *kernels));
        made->prepare();
        *checker = made.release();
        return GKL_SHIM_OK;
    });
}

extern "C" gkl_shim_status gkl_shim_cuda_check(gkl_shim_cuda_checker *checker, int32_t arrays,
                                               const uint64_t *addresses, int64_t size,
                                               void *stream, int64_t *places) {
    if (arrays < 1 || arrays > kMostTracks) return invalid("arrays is %d, not 1 to 5", arrays);
    Tracks tracks = {};
    for (int32_t k = 0; k < arrays; k++)
        tracks.bytes[k] = reinterpret_cast<const uint8_t *>(uintptr_t(addresses[k]));
    return guarded_on_device(checker->number(), [&] {
        checker->check(tracks, arrays, size, stream, places);
        return GKL_SHIM_OK;
    });
}

extern "C" void gkl_shim_cuda_checker_close(gkl_shim_cuda_checker *checker) {
    const FloatingPointMode mode;
    delete checker;
}

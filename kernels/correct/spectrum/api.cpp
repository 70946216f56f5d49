// The part of the C ABI that counts k-mers and makes spectra.
#include <algorithm>
#include <memory>

#include "common/cpu.h"
#include "common/error.h"
#include "correct/batch.h"
#include "correct/cuda/counter.h"
#include "correct/cuda/engine.h"
#include "correct/handles.h"

namespace gkl_shim::correct {
namespace {

bool check_k(int32_t k) {
    if (k >= kMinK && k <= kMaxK) return true;
    return fail("k is %d, not %d to %d", k, kMinK, kMaxK);
}

bool check_threshold(int32_t threshold) {
    if (threshold == Counter::kValley) return true;
    if (threshold >= 2 && threshold <= kMaxThreshold) return true;
    return fail("threshold is %d, not 2 to %d", threshold, kMaxThreshold);
}

}  // namespace
}  // namespace gkl_shim::correct

using namespace gkl_shim;
using namespace gkl_shim::correct;

extern "C" gkl_shim_status gkl_shim_correct_counter_open(int32_t k, int32_t threads,
                                                         int64_t memory_bytes, int32_t threshold,
                                                         gkl_shim_cuda_engine *engine,
                                                         gkl_shim_correct_counter **counter) {
    if (!counter) return invalid("counter is null");
    *counter = nullptr;
    if (!check_k(k) || !check_threshold(threshold)) return GKL_SHIM_EINVAL;
    if (threads < 0) return invalid("threads is %d, less than 0", threads);
    if (memory_bytes < 0)
        return invalid("memory_bytes is %lld, less than 0", (long long)memory_bytes);
    return guarded([&] {
        const int allowed = allowed_threads(threads);
        const int64_t memory = memory_bytes ? memory_bytes : INT64_MAX;
        std::unique_ptr<Counter> made;
        if (engine)
            made = std::make_unique<DeviceCounter>(&gpu::engine_of<CudaEngine>(engine), k, memory,
                                                   threshold);
        else
            made = counter_on_cpu(k, allowed, memory, threshold);
        *counter = new gkl_shim_correct_counter{std::move(made), allowed};
    });
}

extern "C" int32_t gkl_shim_correct_cuda_counts(const gkl_shim_correct_counter *counter) {
    const auto *const on = dynamic_cast<const DeviceCounter *>(counter->counter.get());
    return on && on->on_devices();
}

extern "C" gkl_shim_status gkl_shim_correct_count(gkl_shim_correct_counter *counter,
                                                  const gkl_shim_correct_batch *batch) {
    if (!counter) return invalid("counter is null");
    if (counter->complete) return invalid("the counter is complete");
    return guarded([&]() -> gkl_shim_status {
        CheckedReads reads;
        if (!reads.open(batch, nullptr, counter->threads)) return GKL_SHIM_EINVAL;
        return change(counter, [&] { counter->counter->count(reads.get(), reads.count()); });
    });
}

extern "C" gkl_shim_status gkl_shim_correct_end_pass(gkl_shim_correct_counter *counter,
                                                     int32_t *complete) {
    if (!counter) return invalid("counter is null");
    if (!complete) return invalid("complete is null");
    if (counter->complete) return invalid("the counter is complete");
    return guarded([&] {
        return change(counter, [&] {
            counter->complete = counter->counter->end_pass();
            *complete = counter->complete;
        });
    });
}

extern "C" gkl_shim_status gkl_shim_correct_histogram(const gkl_shim_correct_counter *counter,
                                                      int64_t *counts, int32_t *found) {
    if (!counter) return invalid("counter is null");
    if (!counts || !found) return invalid("%s is null", counts ? "valley" : "counts");
    if (!counter->complete) return invalid("the counter is not complete");
    const Histogram &histogram = counter->counter->histogram();
    std::copy(histogram.begin() + 1, histogram.end(), counts);
    *found = valley(histogram);
    return GKL_SHIM_OK;
}

extern "C" void gkl_shim_correct_counter_close(gkl_shim_correct_counter *counter) {
    delete counter;
}

extern "C" gkl_shim_status gkl_shim_correct_spectrum_make(gkl_shim_correct_counter *counter,
                                                          int32_t threshold,
                                                          gkl_shim_correct_spectrum **spectrum) {
    if (!spectrum) return invalid("spectrum is null");
    *spectrum = nullptr;
    if (!counter) return invalid("counter is null");
    if (!counter->complete) return invalid("the counter is not complete");
    if (counter->counter->taken()) return invalid("the counter has made a spectrum before");
    if (!check_threshold(threshold)) return GKL_SHIM_EINVAL;
    const int least = counter->counter->least();
    int repeated = threshold;
    if (threshold == Counter::kValley) {
        threshold = valley(counter->counter->histogram());
        repeated =
            std::min(threshold, std::max(least, repeated_from(counter->counter->histogram())));
    }
    if (threshold < least)
        return invalid("threshold is %d, but the counter keeps k-mers from %d on", threshold,
                       least);
    return guarded([&] {
        // All memory is allocated first: once the spectrum has the k-mers, nothing can fail.
        auto made = std::make_unique<gkl_shim_correct_spectrum>();
        made->spectrum = std::make_unique<Spectrum>(counter->counter.get(), threshold, repeated,
                                                    counter->threads);
        *spectrum = made.release();
    });
}

extern "C" gkl_shim_status gkl_shim_correct_spectrum_load(
    const gkl_shim_correct_spectrum_info *info, gkl_shim_correct_spectrum **spectrum) {
    if (!spectrum) return invalid("spectrum is null");
    *spectrum = nullptr;
    if (!info) return invalid("info is null");
    if (!info->slots) return invalid("the slots are null");
    if (!check_k(info->k)) return GKL_SHIM_EINVAL;
    if (info->threshold < 2) return invalid("threshold is %d, less than 2", info->threshold);
    return guarded([&] {
        *spectrum = new gkl_shim_correct_spectrum{Spectrum::from_slots(
            info->k, info->threshold, info->size, info->slots, info->slot_count)};
    });
}

extern "C" gkl_shim_status gkl_shim_correct_spectrum_information(
    const gkl_shim_correct_spectrum *spectrum, gkl_shim_correct_spectrum_info *info) {
    if (!spectrum) return invalid("spectrum is null");
    if (!info) return invalid("info is null");
    return guarded([&] {
        const Spectrum &made = *spectrum->spectrum;
        *info = {made.k(),    made.threshold(),  made.kmers(), made.false_positive_rate(),
                 made.size(), made.slot_count(), made.slots()};
    });
}

extern "C" void gkl_shim_correct_spectrum_close(gkl_shim_correct_spectrum *spectrum) {
    delete spectrum;
}

// The part of the C ABI for read correction: checks the arguments and calls the engine.
#include <algorithm>
#include <memory>
#include <vector>

#include "common/cpu.h"
#include "common/error.h"
#include "common/thread_pool.h"
#include "correct/batch.h"
#include "correct/cuda/counter.h"
#include "correct/cuda/engine.h"
#include "correct/on_cpu.h"
#include "correct/text.h"
#include "gkl_shim_internal.h"

struct gkl_shim_correct_counter {
    std::unique_ptr<gkl_shim::correct::Counter> counter;
    int threads;
    bool complete = false;
    bool failed = false;  // a call ended halfway, so the counts are not known to be right
};

struct gkl_shim_correct_spectrum {
    std::unique_ptr<gkl_shim::correct::Spectrum> spectrum;
};

struct gkl_shim_correct_chunk {
    int threads;
    gkl_shim::correct::Chunk chunk;
    std::vector<gkl_shim::correct::Outcome> outcomes;
};

namespace gkl_shim::correct {
namespace {

// Reads whose results one task writes, and the approximate time of a read.
constexpr int64_t kReadsWritten = 4096, kResultNanoseconds = 3;

bool check_options(const gkl_shim_correct_options *options, Settings *settings,
                   gkl_shim_cuda_engine **engine) {
    const gkl_shim_correct_options defaults = {};
    if (!options) options = &defaults;
    *engine = options->engine;
    if (options->threads < 0) return fail("threads is %d, less than 0", options->threads);
    if (options->method != GKL_SHIM_CORRECT_SEARCH && options->method != GKL_SHIM_CORRECT_VOTING)
        return fail("method is %d, not 0 or 1", options->method);
    if (options->max_changes < 0)
        return fail("max_changes is %d, less than 0", options->max_changes);
    if (options->max_window_changes < 0)
        return fail("max_window_changes is %d, less than 0", options->max_window_changes);
    *settings = {allowed_threads(options->threads),
                 Method(options->method),
                 {options->max_changes, options->max_window_changes, options->all_or_nothing}};
    return true;
}

// Corrects reads in place.
void correct_reads(gkl_shim_cuda_engine *engine, const Settings &settings, const Spectrum &spectrum,
                   const Read *reads, int64_t count, Outcome *outcomes) {
    if (engine)
        gpu::engine_of<CudaEngine>(engine).correct(settings, spectrum, reads, count, outcomes);
    else
        correct_on_cpu(settings, spectrum, reads, count, outcomes);
}

// Counts k-mers, or ends a pass. If this throws, the counter stays in an unknown state, and later
// calls are refused.
template <class Work>
gkl_shim_status change(gkl_shim_correct_counter *counter, const Work &work) {
    if (counter->failed)
        return invalid(
            "an earlier call failed or is still running, so the counter is incomplete; open "
            "another");
    counter->failed = true;
    work();
    counter->failed = false;
    return GKL_SHIM_OK;
}

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

extern "C" gkl_shim_status gkl_shim_correct_reads(const gkl_shim_correct_options *options,
                                                  const gkl_shim_correct_spectrum *spectrum,
                                                  const gkl_shim_correct_batch *batch,
                                                  uint8_t *corrected, uint8_t *states,
                                                  int32_t *begins, int32_t *ends) {
    Settings settings;
    gkl_shim_cuda_engine *engine;
    if (!check_options(options, &settings, &engine)) return GKL_SHIM_EINVAL;
    if (!spectrum) return invalid("spectrum is null");
    return guarded([&]() -> gkl_shim_status {
        CheckedReads reads;
        if (!reads.open(batch, corrected, settings.threads)) return GKL_SHIM_EINVAL;
        if (reads.count() == 0) return GKL_SHIM_OK;
        if (!states) return invalid("states is null");
        if (batch->offsets[batch->reads] > 0 && !corrected) return invalid("corrected is null");
        const Buffer<Outcome> outcomes(reads.count());
        correct_reads(engine, settings, *spectrum->spectrum, reads.get(), reads.count(),
                      outcomes.data());
        const int64_t count = reads.count(), nanoseconds = count * kResultNanoseconds;
        const auto write = [&](int64_t begin, int64_t end) {
            for (int64_t k = begin; k < end; k++) {
                const Outcome &outcome = outcomes[k];
                states[k] = uint8_t(outcome.state);
                if (begins) begins[k] = outcome.begin;
                if (ends) ends[k] = outcome.end;
            }
        };
        parallel_for_ranges(count, kReadsWritten, nanoseconds, settings.threads, write);
        return GKL_SHIM_OK;
    });
}

extern "C" void gkl_shim_correct_estimate(int64_t bases, int32_t threads,
                                          gkl_shim_call_estimate *call) {
    const FloatingPointMode mode;
    // The time to correct a base, on one CPU thread and on a device, and for a call of a device.
    *call = {bases, double(bases) * 10 / allowed_threads(threads), 1e6 + double(bases) * 0.5};
}

extern "C" gkl_shim_status gkl_shim_correct_chunk_open(int32_t threads, int32_t for_prefilter,
                                                       gkl_shim_correct_chunk **chunk) {
    if (!chunk) return invalid("chunk is null");
    *chunk = nullptr;
    if (threads < 0) return invalid("threads is %d, less than 0", threads);
    return guarded([&] {
        *chunk = new gkl_shim_correct_chunk{
            allowed_threads(threads), gkl_shim::correct::Chunk(for_prefilter != 0), {}};
    });
}

extern "C" gkl_shim_status gkl_shim_correct_chunk_parse(gkl_shim_correct_chunk *chunk,
                                                        uint8_t *text, int64_t size, int32_t last,
                                                        int64_t before, int64_t *records,
                                                        int64_t *bases, int64_t *end) {
    return guarded([&] {
        if (!chunk->chunk.parse(text, size, last != 0, before, chunk->threads))
            return GKL_SHIM_EINVAL;
        *records = chunk->chunk.records();
        *bases = chunk->chunk.bases();
        *end = chunk->chunk.end();
        return GKL_SHIM_OK;
    });
}

extern "C" double gkl_shim_correct_chunk_squares(const gkl_shim_correct_chunk *chunk) {
    double sum = 0;
    for (int64_t k = 0; k < chunk->chunk.records(); k++) {
        const double length = chunk->chunk.reads()[k].length;
        sum += length * length;
    }
    return sum;
}

extern "C" gkl_shim_status gkl_shim_correct_chunk_compare_names(const gkl_shim_correct_chunk *chunk,
                                                                const gkl_shim_correct_chunk *mates,
                                                                int64_t before, int32_t *first) {
    return guarded([&] {
        return chunk->chunk.compare_names(mates ? &mates->chunk : nullptr, before, first)
                   ? GKL_SHIM_OK
                   : GKL_SHIM_EINVAL;
    });
}

extern "C" void gkl_shim_correct_chunk_reads(const gkl_shim_correct_chunk *chunk, uint8_t *letters,
                                             int32_t *lengths) {
    chunk->chunk.copy_reads(letters, lengths);
}

extern "C" void gkl_shim_correct_chunk_cut(gkl_shim_correct_chunk *chunk, int64_t records,
                                           int64_t *bases, int64_t *end) {
    chunk->chunk.cut(records);
    *bases = chunk->chunk.bases();
    *end = chunk->chunk.end();
}

extern "C" gkl_shim_status gkl_shim_correct_chunk_count(gkl_shim_correct_chunk *chunk,
                                                        gkl_shim_correct_counter *counter) {
    return guarded([&] {
        return change(counter, [&] {
            counter->counter->count(chunk->chunk.reads(), chunk->chunk.records());
        });
    });
}

extern "C" gkl_shim_status gkl_shim_correct_chunk_correct(gkl_shim_correct_chunk *chunk,
                                                          const gkl_shim_correct_options *options,
                                                          const gkl_shim_correct_spectrum *spectrum,
                                                          gkl_shim_correct_totals *totals) {
    Settings settings;
    gkl_shim_cuda_engine *engine;
    if (!check_options(options, &settings, &engine)) return GKL_SHIM_EINVAL;
    return guarded([&] {
        chunk->outcomes.resize(size_t(chunk->chunk.records()));
        correct_reads(engine, settings, *spectrum->spectrum, chunk->chunk.reads(),
                      chunk->chunk.records(), chunk->outcomes.data());
        chunk->chunk.put_back();
        for (const Outcome &outcome : chunk->outcomes) {
            totals->states[outcome.state]++;
            totals->bases += outcome.changes;
        }
    });
}

extern "C" gkl_shim_status gkl_shim_correct_chunk_write(const gkl_shim_correct_chunk *chunk,
                                                        const gkl_shim_correct_chunk *mates,
                                                        int32_t interleaved, int32_t trim,
                                                        int32_t discard, uint8_t *out,
                                                        int64_t *written,
                                                        gkl_shim_correct_removed *removed) {
    return guarded([&] {
        std::vector<Outcome> outcomes = chunk->outcomes;
        std::vector<uint8_t> keep(outcomes.size(), 1);
        for (size_t k = 0; k < outcomes.size(); k++) {
            const int32_t length = chunk->chunk.reads()[k].length;
            if (discard) {
                const Outcome &mate = mates         ? mates->outcomes[k]
                                      : interleaved ? chunk->outcomes[k ^ 1]
                                                    : outcomes[k];
                keep[k] = outcomes[k].state != kUnsolved && mate.state != kUnsolved;
                if (!keep[k]) {
                    removed->discarded++;
                    removed->mates += outcomes[k].state != kUnsolved;
                    removed->discarded_bases += length;
                }
            }
            if (!trim) {
                outcomes[k].begin = 0;
                outcomes[k].end = length;
            }
            const int32_t cut = length - (outcomes[k].end - outcomes[k].begin);
            if (keep[k] && cut > 0) {
                removed->trimmed++;
                removed->trimmed_bases += cut;
            }
        }
        *written = chunk->chunk.write(outcomes.data(), keep.data(), out);
    });
}

extern "C" void gkl_shim_correct_chunk_close(gkl_shim_correct_chunk *chunk) { delete chunk; }

// The part of the C ABI for read correction: checks the arguments and calls the engine.
#include <string.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "common/cpu.h"
#include "common/error.h"
#include "correct/cpu/counter.h"
#include "correct/cpu/engine.h"
#include "correct/cpu/spectrum.h"
#include "correct/cpu/text.h"
#include "gkl_shim.h"
#include "gkl_shim_internal.h"

struct gkl_shim_correct_counter {
    gkl_shim::correct::Counter counter;
    bool complete = false;
};

struct gkl_shim_correct_spectrum {
    std::unique_ptr<gkl_shim::correct::Spectrum> spectrum;
};

struct gkl_shim_correct_chunk {
    int threads;
    gkl_shim::correct::Chunk chunk;
    std::vector<gkl_shim::correct::Outcome> outcomes;
};

namespace gkl_shim {
namespace correct {
namespace {

bool check_k(int32_t k) {
    if (k >= kLeastK && k <= kMostK) return true;
    return fail("k is %d, not %d to %d", k, kLeastK, kMostK);
}

bool check_batch(const gkl_shim_correct_batch *batch) {
    if (!batch) return fail("batch is null");
    if (batch->reads < 0) return fail("reads is %lld, less than 0", (long long)batch->reads);
    if (batch->reads == 0) return true;
    if (!batch->offsets) return fail("the offsets are null");
    if (batch->offsets[0] != 0)
        return fail("offset 0 is %lld, not 0", (long long)batch->offsets[0]);
    for (int64_t k = 0; k < batch->reads; k++) {
        int64_t length = 0;
        if (__builtin_sub_overflow(batch->offsets[k + 1], batch->offsets[k], &length) || length < 0)
            return fail("offset %lld is less than the one before", (long long)k + 1);
        if (length > INT32_MAX / 2)
            return fail("read %lld has %lld letters, more than %d", (long long)k, (long long)length,
                        INT32_MAX / 2);
    }
    if (batch->offsets[batch->reads] > 0 && !batch->letters) return fail("the letters are null");
    for (int64_t k = 0; k < batch->reads; k++) {
        const uint8_t *const read = batch->letters + batch->offsets[k];
        const int64_t at = wrong_letter(read, batch->offsets[k + 1] - batch->offsets[k]);
        if (at >= 0)
            return fail("read %lld: letter %lld is byte %d, not one of ACGTN", (long long)k,
                        (long long)at, read[at]);
    }
    return true;
}

// `letters` are the batch's, or a copy of them that may be changed.
std::vector<Read> reads_of(const gkl_shim_correct_batch &batch, uint8_t *letters) {
    std::vector<Read> reads(size_t(batch.reads));
    for (int64_t k = 0; k < batch.reads; k++) {
        const int64_t begin = batch.offsets[k];
        reads[size_t(k)] = {letters + begin, batch.qualities ? batch.qualities + begin : nullptr,
                            int32_t(batch.offsets[k + 1] - begin)};
    }
    return reads;
}

bool check_options(const gkl_shim_correct_options *options, CpuSettings *settings) {
    const gkl_shim_correct_options defaults = {};
    if (!options) options = &defaults;
    if (options->threads < 0) return fail("threads is %d, less than 0", options->threads);
    if (options->method != GKL_SHIM_CORRECT_SEARCH && options->method != GKL_SHIM_CORRECT_VOTING)
        return fail("method is %d, not 0 or 1", options->method);
    if (options->changes < 0) return fail("changes is %d, less than 0", options->changes);
    if (options->window_changes < 0)
        return fail("window_changes is %d, less than 0", options->window_changes);
    *settings = {allowed_threads(options->threads),
                 Method(options->method),
                 {options->changes, options->window_changes, options->whole}};
    return true;
}

gkl_shim_status finished(gkl_shim_correct_spectrum **handle, std::unique_ptr<Spectrum> made) {
    *handle = new gkl_shim_correct_spectrum{std::move(made)};
    return GKL_SHIM_OK;
}

}  // namespace
}  // namespace correct
}  // namespace gkl_shim

using namespace gkl_shim;
using namespace gkl_shim::correct;

extern "C" gkl_shim_status gkl_shim_correct_counter_open(int32_t k, int32_t threads,
                                                         int64_t memory_bytes,
                                                         gkl_shim_correct_counter **counter) {
    if (!counter) return invalid("counter is null");
    *counter = nullptr;
    if (!check_k(k)) return GKL_SHIM_EINVAL;
    if (threads < 0) return invalid("threads is %d, less than 0", threads);
    if (memory_bytes < 0)
        return invalid("memory_bytes is %lld, less than 0", (long long)memory_bytes);
    return guarded([&] {
        *counter = new gkl_shim_correct_counter{
            Counter(k, allowed_threads(threads), memory_bytes ? memory_bytes : INT64_MAX)};
        return GKL_SHIM_OK;
    });
}

extern "C" gkl_shim_status gkl_shim_correct_count(gkl_shim_correct_counter *counter,
                                                  const gkl_shim_correct_batch *batch) {
    if (!counter) return invalid("counter is null");
    if (counter->complete) return invalid("the counter is complete");
    if (!check_batch(batch)) return GKL_SHIM_EINVAL;
    return guarded([&] {
        const std::vector<Read> reads = reads_of(*batch, const_cast<uint8_t *>(batch->letters));
        counter->counter.count(reads.data(), batch->reads);
        return GKL_SHIM_OK;
    });
}

extern "C" gkl_shim_status gkl_shim_correct_end_pass(gkl_shim_correct_counter *counter,
                                                     int32_t *complete) {
    if (!counter) return invalid("counter is null");
    if (!complete) return invalid("complete is null");
    if (counter->complete) return invalid("the counter is complete");
    return guarded([&] {
        counter->complete = counter->counter.end_pass();
        *complete = counter->complete;
        return GKL_SHIM_OK;
    });
}

extern "C" gkl_shim_status gkl_shim_correct_histogram(const gkl_shim_correct_counter *counter,
                                                      int64_t *counts, int32_t *found) {
    if (!counter) return invalid("counter is null");
    if (!counts || !found) return invalid("%s is null", counts ? "valley" : "counts");
    if (!counter->complete) return invalid("the counter is not complete");
    const std::vector<int64_t> &histogram = counter->counter.histogram();
    std::copy(histogram.begin() + 1, histogram.end(), counts);
    *found = valley(histogram);
    return GKL_SHIM_OK;
}

extern "C" void gkl_shim_correct_counter_close(gkl_shim_correct_counter *counter) {
    delete counter;
}

extern "C" gkl_shim_status gkl_shim_correct_spectrum_make(const gkl_shim_correct_counter *counter,
                                                          int32_t threshold,
                                                          gkl_shim_correct_spectrum **spectrum) {
    if (!spectrum) return invalid("spectrum is null");
    *spectrum = nullptr;
    if (!counter) return invalid("counter is null");
    if (!counter->complete) return invalid("the counter is not complete");
    if (threshold == 0) threshold = valley(counter->counter.histogram());
    if (threshold < 2 || threshold > int32_t(kMostEntryCount))
        return invalid("threshold is %d, not 2 to %d", threshold, int32_t(kMostEntryCount));
    return guarded([&] {
        return finished(spectrum,
                        std::unique_ptr<Spectrum>(new Spectrum(counter->counter, threshold)));
    });
}

extern "C" gkl_shim_status gkl_shim_correct_spectrum_load(const gkl_shim_correct_facts *facts,
                                                          gkl_shim_correct_spectrum **spectrum) {
    if (!spectrum) return invalid("spectrum is null");
    *spectrum = nullptr;
    if (!facts) return invalid("facts is null");
    if (!facts->slots) return invalid("the slots are null");
    if (!check_k(facts->k)) return GKL_SHIM_EINVAL;
    if (facts->threshold < 2) return invalid("threshold is %d, less than 2", facts->threshold);
    return guarded([&] {
        std::unique_ptr<Spectrum> made = Spectrum::from_slots(
            facts->k, facts->threshold, facts->size, facts->slots, facts->slot_count);
        return made ? finished(spectrum, std::move(made)) : GKL_SHIM_EINVAL;
    });
}

extern "C" gkl_shim_status gkl_shim_correct_spectrum_facts(
    const gkl_shim_correct_spectrum *spectrum, gkl_shim_correct_facts *facts) {
    if (!spectrum) return invalid("spectrum is null");
    if (!facts) return invalid("facts is null");
    return guarded([&] {
        const Spectrum &made = *spectrum->spectrum;
        *facts = {made.k(),    made.threshold(), made.kmers(), made.false_positive_rate(),
                  made.size(), made.count(),     made.slots()};
        return GKL_SHIM_OK;
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
    CpuSettings settings;
    if (!check_options(options, &settings)) return GKL_SHIM_EINVAL;
    if (!spectrum) return invalid("spectrum is null");
    if (!check_batch(batch)) return GKL_SHIM_EINVAL;
    if (batch->reads == 0) return GKL_SHIM_OK;
    if (!states) return invalid("states is null");
    const int64_t letters = batch->offsets[batch->reads];
    if (letters > 0 && !corrected) return invalid("corrected is null");
    return guarded([&] {
        const std::vector<Read> reads = reads_of(*batch, corrected);
        std::vector<Outcome> outcomes(reads.size());
        if (letters > 0) memcpy(corrected, batch->letters, size_t(letters));
        correct_on_cpu(settings, *spectrum->spectrum, reads.data(), batch->reads, outcomes.data());
        for (size_t k = 0; k < outcomes.size(); k++) {
            states[k] = outcomes[k].state;
            if (begins) begins[k] = outcomes[k].begin;
            if (ends) ends[k] = outcomes[k].end;
        }
        return GKL_SHIM_OK;
    });
}

extern "C" gkl_shim_status gkl_shim_correct_chunk_open(int32_t threads,
                                                       gkl_shim_correct_chunk **chunk) {
    if (!chunk) return invalid("chunk is null");
    *chunk = nullptr;
    if (threads < 0) return invalid("threads is %d, less than 0", threads);
    return guarded([&] {
        *chunk = new gkl_shim_correct_chunk{allowed_threads(threads), {}, {}};
        return GKL_SHIM_OK;
    });
}

extern "C" gkl_shim_status gkl_shim_correct_chunk_parse(gkl_shim_correct_chunk *chunk,
                                                        uint8_t *text, int64_t size, int32_t last,
                                                        int64_t most, int64_t before,
                                                        int64_t *records, int64_t *bases,
                                                        int64_t *end) {
    return guarded([&] {
        if (!chunk->chunk.parse(text, size, last != 0, most, before, chunk->threads))
            return GKL_SHIM_EINVAL;
        *records = chunk->chunk.records();
        *bases = chunk->chunk.bases();
        *end = chunk->chunk.end();
        return GKL_SHIM_OK;
    });
}

extern "C" void gkl_shim_correct_chunk_cut(gkl_shim_correct_chunk *chunk, int64_t records,
                                           int64_t *end) {
    chunk->chunk.cut(records);
    *end = chunk->chunk.end();
}

extern "C" gkl_shim_status gkl_shim_correct_chunk_count(gkl_shim_correct_chunk *chunk,
                                                        gkl_shim_correct_counter *counter) {
    return guarded([&] {
        counter->counter.count(chunk->chunk.reads(), chunk->chunk.records());
        return GKL_SHIM_OK;
    });
}

extern "C" gkl_shim_status gkl_shim_correct_chunk_correct(gkl_shim_correct_chunk *chunk,
                                                          const gkl_shim_correct_options *options,
                                                          const gkl_shim_correct_spectrum *spectrum,
                                                          gkl_shim_correct_totals *totals) {
    CpuSettings settings;
    if (!check_options(options, &settings)) return GKL_SHIM_EINVAL;
    return guarded([&] {
        chunk->outcomes.resize(size_t(chunk->chunk.records()));
        correct_on_cpu(settings, *spectrum->spectrum, chunk->chunk.reads(), chunk->chunk.records(),
                       chunk->outcomes.data());
        chunk->chunk.put_back();
        for (const Outcome &outcome : chunk->outcomes) {
            totals->states[outcome.state]++;
            totals->bases += outcome.changes;
        }
        return GKL_SHIM_OK;
    });
}

extern "C" gkl_shim_status gkl_shim_correct_chunk_write(const gkl_shim_correct_chunk *chunk,
                                                        const gkl_shim_correct_chunk *mates,
                                                        int32_t interleaved, int32_t trim,
                                                        int32_t discard, uint8_t *out,
                                                        int64_t *written, int64_t *kept) {
    return guarded([&] {
        std::vector<Outcome> outcomes = chunk->outcomes;
        std::vector<uint8_t> keep(outcomes.size(), 1);
        for (size_t k = 0; k < outcomes.size(); k++) {
            if (discard) {
                const Outcome &mate = mates         ? mates->outcomes[k]
                                      : interleaved ? chunk->outcomes[k ^ 1]
                                                    : outcomes[k];
                keep[k] = outcomes[k].state != kUnsolved && mate.state != kUnsolved;
            }
            if (!trim) {
                outcomes[k].begin = 0;
                outcomes[k].end = chunk->chunk.reads()[k].length;
            }
        }
        *kept = std::count(keep.begin(), keep.end(), uint8_t(1));
        *written = chunk->chunk.write(outcomes.data(), keep.data(), out);
        return GKL_SHIM_OK;
    });
}

extern "C" void gkl_shim_correct_chunk_close(gkl_shim_correct_chunk *chunk) { delete chunk; }

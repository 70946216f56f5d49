// The C ABI of pieces of files: their reads are found, counted, corrected and written in place.
#include <vector>

#include "common/cpu.h"
#include "common/error.h"
#include "correct/handles.h"

using namespace gkl_shim;
using namespace gkl_shim::correct;

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

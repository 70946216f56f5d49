// The C ABI's handles of read correction, and what the functions of both engines share.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "correct/outcome.h"
#include "correct/reads.h"
#include "correct/settings.h"
#include "correct/spectrum/counter.h"
#include "correct/spectrum/spectrum.h"
#include "correct/text.h"
#include "gkl_shim.h"
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

// Corrects reads in place on an engine. Throws std::bad_alloc and Failed.
typedef std::function<void(const Settings &settings, const Spectrum &spectrum, const Read *reads,
                           int64_t count, Outcome *outcomes)>
    CorrectReads;

// These set the error if they return false.
bool check_k(int32_t k);
bool check_threshold(int32_t threshold);

gkl_shim_status correct_batch(const gkl_shim_correct_options *options,
                              const gkl_shim_correct_spectrum *spectrum,
                              const gkl_shim_correct_batch *batch, uint8_t *corrected,
                              uint8_t *states, int32_t *begins, int32_t *ends,
                              const CorrectReads &correct_reads);

gkl_shim_status correct_chunk(gkl_shim_correct_chunk *chunk,
                              const gkl_shim_correct_options *options,
                              const gkl_shim_correct_spectrum *spectrum,
                              gkl_shim_correct_totals *totals, const CorrectReads &correct_reads);

}  // namespace gkl_shim::correct

// The handles of the C ABI for read correction, and what its parts share.
#pragma once

#include <memory>
#include <vector>

#include "common/error.h"
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

// Checks options, which may be null, and takes them apart. Returns false, with the error, if one is
// wrong.
bool check_options(const gkl_shim_correct_options *options, Settings *settings,
                   gkl_shim_cuda_engine **engine);

// Corrects reads in place, on the CPU if `engine` is null.
void correct_reads(gkl_shim_cuda_engine *engine, const Settings &settings, const Spectrum &spectrum,
                   const Read *reads, int64_t count, Outcome *outcomes);

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

}  // namespace gkl_shim::correct

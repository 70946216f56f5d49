// What the CPU engine does for its callers: the C ABI, and the CUDA engine when a device fails.
#pragma once

#include <stdint.h>

#include <memory>

#include "correct/outcome.h"
#include "correct/reads.h"
#include "correct/spectrum/counter.h"
#include "correct/spectrum/spectrum.h"

namespace gkl_shim::correct {

// Corrects reads in place. Expects valid letters. Throws std::bad_alloc.
void correct_on_cpu(const Settings &settings, const Spectrum &spectrum, const Read *reads,
                    int64_t count, Outcome *outcomes);

// Returns a counter of k-mers on the CPU. `least`: as for every Counter. Throws std::bad_alloc.
std::unique_ptr<Counter> counter_on_cpu(int k, int threads, int64_t memory_bytes, int least);

}  // namespace gkl_shim::correct

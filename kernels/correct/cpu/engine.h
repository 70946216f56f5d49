// The CPU engine: corrects reads in place.
#pragma once

#include <stdint.h>

#include <vector>

#include "correct/cpu/reads.h"
#include "correct/cpu/spectrum.h"
#include "correct/search.h"

namespace gkl_shim {
namespace correct {

struct CpuSettings {
    int threads;
    Method method;
    Limits limits;
};

// What became of a read. `begin` and `end` are the part to keep if the read is trimmed: all bases,
// or those of the longest run of solid k-mers if the
// read is unsolved and has one.
struct Outcome {
    State state;
    int32_t begin, end;
    int32_t changes;
};

// Expects valid letters. Throws std::bad_alloc.
void correct_on_cpu(const CpuSettings &settings, const Spectrum &spectrum, const Read *reads,
                    int64_t count, Outcome *outcomes);

}  // namespace correct
}  // namespace gkl_shim

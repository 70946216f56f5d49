// The CPU engine: corrects reads in place.
#pragma once

#include <stdint.h>

#include "correct/outcome.h"
#include "correct/reads.h"
#include "correct/spectrum.h"

namespace gkl_shim {
namespace correct {

struct Settings {
    int threads;
    Method method;
    Limits limits;
};

// Expects valid letters. Throws std::bad_alloc.
void correct_on_cpu(const Settings &settings, const Spectrum &spectrum, const Read *reads,
                    int64_t count, Outcome *outcomes);

}  // namespace correct
}  // namespace gkl_shim

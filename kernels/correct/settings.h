// How reads are corrected, for every engine.
#pragma once

#include "correct/search.h"

namespace gkl_shim::correct {

struct Settings {
    int threads;
    Method method;
    Limits limits;
};

}  // namespace gkl_shim::correct

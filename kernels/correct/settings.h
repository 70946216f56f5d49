// How reads are corrected, for every engine.
#pragma once

#include "correct/search.h"

namespace gkl_shim {
namespace correct {

struct Settings {
    int threads;
    Method method;
    Limits limits;
};

}  // namespace correct
}  // namespace gkl_shim

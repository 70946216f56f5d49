#include "common/interrupt.h"

#include <chrono>

#include "common/floating_point_mode.h"
#include "gkl_shim_internal.h"

namespace gkl_shim {
namespace {

typedef std::chrono::steady_clock Clock;

thread_local gkl_shim_interrupt asked = nullptr;
thread_local std::chrono::milliseconds interval;
thread_local Clock::time_point next_question;

}  // namespace

void check_interrupt() {
    if (asked == nullptr || Clock::now() < next_question) return;
    next_question = Clock::now() + interval;
    if (asked() != 0) throw Interrupted();
}

}  // namespace gkl_shim

extern "C" void gkl_shim_interruptible(gkl_shim_interrupt interrupt, int32_t milliseconds) {
    const gkl_shim::FloatingPointMode mode;
    gkl_shim::asked = interrupt;
    gkl_shim::interval = std::chrono::milliseconds(milliseconds);
    gkl_shim::next_question = gkl_shim::Clock::now() + gkl_shim::interval;
}

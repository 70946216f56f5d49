#include "common/interrupt.h"

#include <chrono>
#include <utility>

#include "common/floating_point_mode.h"

namespace gkl_shim {
namespace {

typedef std::chrono::steady_clock Clock;

thread_local gkl_shim_interrupt asked = nullptr;
thread_local std::chrono::milliseconds interval;
thread_local Clock::time_point next_question;

}  // namespace

bool interrupt_is_due() { return asked != nullptr && Clock::now() >= next_question; }

void check_interrupt() {
    if (!interrupt_is_due()) return;
    bool ends;
    {
        // The function may set another one for its own calls.
        const gkl_shim_interrupt interrupt = asked;
        const std::chrono::milliseconds between = interval;
        const Uninterrupted calls_within;
        ends = interrupt() != 0;
        interval = between;
    }
    next_question = Clock::now() + interval;
    if (ends) throw Interrupted();
}

Uninterrupted::Uninterrupted() : before_(std::exchange(asked, nullptr)) {}
Uninterrupted::~Uninterrupted() { asked = before_; }

}  // namespace gkl_shim

extern "C" gkl_shim_interrupt gkl_shim_interruptible(gkl_shim_interrupt interrupt,
                                                     int32_t milliseconds) {
    const gkl_shim::FloatingPointMode mode;
    const gkl_shim_interrupt before = std::exchange(gkl_shim::asked, interrupt);
    gkl_shim::interval = std::chrono::milliseconds(milliseconds);
    gkl_shim::next_question = gkl_shim::Clock::now() + gkl_shim::interval;
    return before;
}

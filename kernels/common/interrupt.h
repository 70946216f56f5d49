// The end of a long call before it is done, because its caller asks for it.
//
// The caller's function may make other calls, on the same thread and with the same handles. So this
// thread must hold no lock when it asks, and have no CUDA context current.
#pragma once

#include "gkl_shim_internal.h"

namespace gkl_shim {

// Thrown where a call ends early.
struct Interrupted {};

// Throws Interrupted if this thread's caller wants its call to end. Asks it at intervals, through
// the function given to gkl_shim_interruptible(). Other threads do not ask.
void check_interrupt();

// Whether check_interrupt() would ask now.
bool interrupt_is_due();

// While it lives, this thread does not ask.
class Uninterrupted {
   public:
    Uninterrupted();
    ~Uninterrupted();
    Uninterrupted(const Uninterrupted &) = delete;

   private:
    const gkl_shim_interrupt before_;
};

}  // namespace gkl_shim

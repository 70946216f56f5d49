// The end of a long call before it is done, because its caller asks for it.
#pragma once

namespace gkl_shim {

// Thrown where a call ends early.
struct Interrupted {};

// Throws Interrupted if this thread's caller wants its call to end. Asks it at intervals, through
// the function given to gkl_shim_interruptible(). Other threads do not ask.
void check_interrupt();

}  // namespace gkl_shim

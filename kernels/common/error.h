// The calling thread's last error, functions that set it, and the guard around every function of
// the C ABI that does more than return a field.
#pragma once

#include "common/floating_point_mode.h"
#include "gkl_shim.h"

namespace gkl_shim {

// Sets the message like printf. Returns false, so that a check can return its result.
bool fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

gkl_shim_status invalid(const char *format, ...) __attribute__((format(printf, 1, 2)));
gkl_shim_status out_of_memory();

// A status other than GKL_SHIM_OK, as an exception. The message has been set.
struct Failed {
    gkl_shim_status status;
};
inline void check(gkl_shim_status status) {
    if (status != GKL_SHIM_OK) throw Failed{status};
}

// Returns the status for the exception being handled, and sets the message. Use in catch (...).
gkl_shim_status status_of_exception() noexcept;

// Calls work() in the library's floating-point mode and returns its status. An exception becomes a
// status. The mode is also set for integer work, because compilers and standard containers convert
// between integers and floating-point numbers, which can trap.
template <class Work>
gkl_shim_status guarded(Work work) noexcept {
    const FloatingPointMode mode;
    try {
        return work();
    } catch (...) {
        return status_of_exception();
    }
}

// Makes a handle. On failure *handle is null.
template <class Handle, class... Arguments>
gkl_shim_status opened(Handle **handle, const Arguments &...arguments) {
    *handle = nullptr;
    return guarded([&] {
        *handle = new Handle{arguments...};
        return GKL_SHIM_OK;
    });
}

}  // namespace gkl_shim

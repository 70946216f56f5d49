// The calling thread's last error, the ways to set it, and what becomes of exceptions: none leaves
// the C ABI.
#pragma once

#include "gkl_shim.h"

namespace gkl_shim {

// Sets the message, printf-like; returns false, so that checks can end with it.
bool fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

gkl_shim_status invalid(const char *format, ...) __attribute__((format(printf, 1, 2)));
gkl_shim_status out_of_memory();

// A status other than GKL_SHIM_OK as an exception; the message is set.
struct Failed {
    gkl_shim_status status;
};
inline void check(gkl_shim_status status) {
    if (status != GKL_SHIM_OK) throw Failed{status};
}

// The status of the exception that is being handled, for catch (...). Sets the message.
gkl_shim_status status_of_exception() noexcept;

// The status of work(), which may throw anything.
template <class Work>
gkl_shim_status guarded(Work work) noexcept {
    try {
        return work();
    } catch (...) {
        return status_of_exception();
    }
}

// Makes a handle; *handle is null where that fails.
template <class Handle, class... Arguments>
gkl_shim_status opened(Handle **handle, const Arguments &...arguments) {
    *handle = nullptr;
    return guarded([&] {
        *handle = new Handle{arguments...};
        return GKL_SHIM_OK;
    });
}

}  // namespace gkl_shim

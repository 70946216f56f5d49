// The calling thread's last error, and the ways to set it.
#pragma once

#include <new>

#include "gkl_shim.h"

namespace gkl_shim {

// Sets the message, printf-like; returns false, so that checks can end with it.
bool fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

gkl_shim_status invalid(const char *format, ...) __attribute__((format(printf, 1, 2)));
gkl_shim_status out_of_memory();

// The status of work() that may run out of memory: nothing is thrown across the C ABI.
template <class Work>
gkl_shim_status guarded(Work work) {
    try {
        return work();
    } catch (const std::bad_alloc &) {
        return out_of_memory();
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

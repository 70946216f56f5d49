// The calling thread's last error, the ways to set it, and guarded(), which turns exceptions into a
// status. Every function of the C ABI that can throw or that computes with floating-point numbers
// runs its work in guarded(). Functions that only move bytes or read fields do without.
#pragma once

#include <type_traits>

#include "common/floating_point_mode.h"
#include "gkl_shim.h"

namespace gkl_shim {

// Sets the message, printf-like; returns false, so that checks can end with it.
bool fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

gkl_shim_status invalid(const char *format, ...) __attribute__((format(printf, 1, 2)));

// Whether there can be that many elements in memory. Sets the error otherwise. No process has as
// many bytes, and the product of a count and a number below 128 does not overflow.
constexpr int64_t kMaxElements = int64_t(1) << 56;
bool check_count(const char *name, int64_t count);
// Whether the count + 1 offsets of a ragged array begin with 0 and never decrease. Sets the error
// otherwise. With several threads, call it in guarded().
bool check_offsets(const char *name, const int64_t *offsets, int64_t count, int threads = 1);
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

// Calls work() in the library's floating-point mode. Returns its status, or GKL_SHIM_OK if it
// returns nothing. Whatever it throws becomes a status. The mode is set for integer work too:
// compilers and standard containers convert between integers and floating-point numbers, which can
// trap.
template <class Work>
gkl_shim_status guarded(Work work) noexcept {
    const FloatingPointMode mode;
    try {
        if constexpr (std::is_void_v<decltype(work())>)
            return work(), GKL_SHIM_OK;
        else
            return work();
    } catch (...) {
        return status_of_exception();
    }
}

// Makes a handle; *handle is null where that fails.
template <class Handle, class... Arguments>
gkl_shim_status opened(Handle **handle, const Arguments &...arguments) {
    *handle = nullptr;
    return guarded([&] { *handle = new Handle{arguments...}; });
}

}  // namespace gkl_shim

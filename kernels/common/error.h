// The calling thread's last error, and the ways to set it.
#pragma once

#include "gkl_shim.h"

namespace gkl_shim {

// Sets the message, printf-like; returns false, so that checks can end with it.
bool fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

gkl_shim_status invalid(const char *format, ...) __attribute__((format(printf, 1, 2)));
gkl_shim_status out_of_memory();

}  // namespace gkl_shim

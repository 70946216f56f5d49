// The part of the C ABI that belongs to no algorithm.
#include <stdarg.h>
#include <stdio.h>

#include "common/cpu.h"
#include "common/error.h"
#include "gkl_shim.h"

namespace gkl_shim {
namespace {

thread_local char last_error[512];

void set(const char *format, va_list arguments) {
    vsnprintf(last_error, sizeof last_error, format, arguments);
}

}  // namespace

bool fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    set(format, arguments);
    va_end(arguments);
    return false;
}

gkl_shim_status invalid(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    set(format, arguments);
    va_end(arguments);
    return GKL_SHIM_EINVAL;
}

gkl_shim_status out_of_memory() {
    fail("out of memory");
    return GKL_SHIM_ENOMEM;
}

}  // namespace gkl_shim

extern "C" const char *gkl_shim_version(void) { return GKL_SHIM_VERSION; }
extern "C" const char *gkl_shim_last_error(void) { return gkl_shim::last_error; }
extern "C" int32_t gkl_shim_cpu_count(void) { return gkl_shim::usable_cpus(); }

// The part of the C ABI that belongs to no algorithm.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/cpu.h"
#include "common/error.h"
#include "common/thread_pool.h"
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

extern "C" gkl_shim_status gkl_shim_copy(uint8_t *target, const uint8_t *source, int64_t size,
                                         int32_t threads) {
    using namespace gkl_shim;
    if (size < 0) return invalid("size is %lld, less than 0", (long long)size);
    if (threads < 0) return invalid("threads is %d, less than 0", threads);
    if (size == 0) return GKL_SHIM_OK;
    if (!target || !source) return invalid("target or source is null");
    // About what one thread copies.
    constexpr int64_t kPiece = int64_t(1) << 19, kCopiedPerNanosecond = 8;
    struct Job {
        uint8_t *target;
        const uint8_t *source;
        int64_t size;
    } job = {target, source, size};
    parallel_for(
        (size + kPiece - 1) / kPiece, size / kCopiedPerNanosecond, allowed_threads(threads),
        [](void *context, int64_t index) {
            const Job &job = *static_cast<Job *>(context);
            const int64_t at = index * kPiece, left = job.size - at;
            memcpy(job.target + at, job.source + at, size_t(left < kPiece ? left : kPiece));
        },
        &job);
    return GKL_SHIM_OK;
}

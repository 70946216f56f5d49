// The part of the C ABI that all algorithms share.
#include <stdarg.h>
#include <stdio.h>

#include <exception>
#include <new>
#include <stdexcept>

#include "common/cpu.h"
#include "common/error.h"
#include "common/interrupt.h"
#include "common/per_thread.h"
#include "common/thread_pool.h"
#include "gkl_shim.h"

namespace gkl_shim {
namespace {

// By default glibc allocates a library's thread_locals when a thread first uses one, and ends the
// process if that fails. With one initial-exec variable in the library, all of its thread_locals,
// the C++ run-time library's included, exist from each thread's start. glibc reserves little room
// for this, so there must be few of them.
#if defined(__x86_64__) && defined(__GLIBC__)
__attribute__((tls_model("initial-exec")))
#endif
thread_local const char *last_error = "";

struct Message {
    char text[512];
};
PerThread<Message> message;

// Offsets that one task checks.
constexpr int64_t kOffsetsChecked = 1 << 16;

void set(const char *format, va_list arguments) {
    try {
        vsnprintf(message->text, sizeof message->text, format, arguments);
        last_error = message->text;
    } catch (const std::bad_alloc &) {
        out_of_memory();
    }
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

bool check_count(const char *name, int64_t count) {
    if (count < 0) return fail("%s is %lld, less than 0", name, (long long)count);
    if (count > kMaxElements)
        return fail("%s is %lld, more than fits into any memory", name, (long long)count);
    return true;
}

bool check_offsets(const char *name, const int64_t *offsets, int64_t count, int threads) {
    if (!offsets) return fail("%s: the offsets are null", name);
    if (offsets[0] != 0) return fail("%s: offset 0 is %lld, not 0", name, (long long)offsets[0]);
    const Uninterrupted is_short;
    FirstIndex less;
    const auto check = [&](int64_t begin, int64_t end) {
        bool any = false;
        for (int64_t k = begin; k < end; k++) any |= offsets[k + 1] < offsets[k];
        while (any && offsets[begin + 1] >= offsets[begin]) begin++;
        if (any) less.add(begin);
    };
    parallel_for_ranges(count, kOffsetsChecked, count, threads, check);
    if (less.get() < 0) return true;
    return fail("%s: offset %lld is less than the one before", name, (long long)less.get() + 1);
}

gkl_shim_status out_of_memory() {
    last_error = "out of memory";
    return GKL_SHIM_ENOMEM;
}

gkl_shim_status status_of_exception() noexcept {
    try {
        throw;
    } catch (const Failed &failed) {
        return failed.status;
    } catch (const std::bad_alloc &) {
        return out_of_memory();
    } catch (const std::length_error &) {
        // A container was asked for more elements than it can ever hold.
        return out_of_memory();
    } catch (const Interrupted &) {
        fail("the caller ended the call");
    } catch (const std::exception &error) {
        fail("a failure within the library: %s", error.what());
    } catch (...) {
        fail("a failure within the library");
    }
    return GKL_SHIM_EINTERNAL;
}

}  // namespace gkl_shim

extern "C" const char *gkl_shim_version(void) { return GKL_SHIM_VERSION; }
extern "C" const char *gkl_shim_last_error(void) { return gkl_shim::last_error; }
extern "C" int32_t gkl_shim_cpu_count(void) { return gkl_shim::usable_cpus(); }

/* Preloaded into a process. Makes requests for memory and for threads fail during one call of a
 * function. Also a CUDA driver for the engines, which allocates its memory in the same way. */
#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "gkl_shim_internal.h"

/* Requests counted so far, the number of the one to fail, and whether all later ones fail too. */
static long requests, failing;
static bool and_after;
static bool threads_only; /* requests for memory neither count nor fail */
static bool limited;
static bool reached;        /* the request to fail was made */
static int kernels_running; /* on the host, where their own requests must not fail */

static bool refused(bool thread) {
    if (!__atomic_load_n(&limited, __ATOMIC_ACQUIRE) || (threads_only && !thread)) return false;
    if (__atomic_load_n(&kernels_running, __ATOMIC_ACQUIRE) > 0) return false;
    const long number = __atomic_add_fetch(&requests, 1, __ATOMIC_RELAXED);
    const bool fails = and_after ? number >= failing : number == failing;
    if (fails) __atomic_store_n(&reached, true, __ATOMIC_RELAXED);
    return fails;
}

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size) { return refused(false) ? NULL : __libc_malloc(size); }
void *calloc(size_t count, size_t size) {
    return refused(false) ? NULL : __libc_calloc(count, size);
}
void *realloc(void *old, size_t size) { return refused(false) ? NULL : __libc_realloc(old, size); }
void *aligned_alloc(size_t alignment, size_t size) {
    return refused(false) ? NULL : __libc_memalign(alignment, size);
}
int posix_memalign(void **memory, size_t alignment, size_t size) {
    if (refused(false)) return ENOMEM;
    *memory = __libc_memalign(alignment, size);
    return *memory ? 0 : ENOMEM;
}

typedef int create_thread(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
static create_thread *real_pthread_create;

__attribute__((constructor)) static void find_pthread_create(void) {
    *(void **)&real_pthread_create = dlsym(RTLD_NEXT, "pthread_create");
}
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                   void *argument) {
    return refused(true) ? EAGAIN : real_pthread_create(thread, attributes, run, argument);
}

/* Resets the count. Request number `first` will fail; 0: none. */
void scarce_begin(long first, int32_t all_after, int32_t threads_alone) {
    requests = 0;
    reached = false;
    threads_only = threads_alone;
    failing = first ? first : INT64_MAX;
    and_after = all_after;
}

/* Whether the request to fail has been made. */
int32_t scarce_reached(void) { return __atomic_load_n(&reached, __ATOMIC_RELAXED); }

/* No further request fails. */
void scarce_end(void) { failing = INT64_MAX; }

/* Calls a function whose arguments are integers and pointers. */
int64_t scarce_call(void *function, const int64_t *a) {
    typedef int64_t call(int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t,
                         int64_t, int64_t, int64_t, int64_t);
    __atomic_store_n(&limited, true, __ATOMIC_RELEASE);
    const int64_t result = ((call *)function)(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8],
                                              a[9], a[10], a[11]);
    __atomic_store_n(&limited, false, __ATOMIC_RELEASE);
    return result;
}

/* A CUDA driver in which nothing is asynchronous. */
enum { kInvalidValue = 1, kOutOfMemory = 2 };
static int32_t handle(void **made, uint32_t flags) {
    (void)flags;
    *made = malloc(1);
    return *made ? 0 : kOutOfMemory;
}
static int32_t destroy(void *made) { return free(made), 0; }
static int32_t on_context(void *context) { return (void)context, 0; }
static int32_t pop(void **context) { return (void)context, 0; }
static int32_t on_host(void **memory, size_t size, uint32_t flags) {
    (void)flags;
    *memory = malloc(size);
    return *memory ? 0 : kOutOfMemory;
}
static int32_t on_device(uint64_t *address, size_t size) {
    void *const memory = malloc(size);
    *address = (uintptr_t)memory;
    return memory ? 0 : kOutOfMemory;
}
static int32_t free_on_device(uint64_t address) { return free((void *)(uintptr_t)address), 0; }
static int32_t record(void *event, void *stream) { return (void)event, (void)stream, 0; }
static int32_t send(uint64_t to, const void *from, size_t size, void *stream) {
    (void)stream;
    return memcpy((void *)(uintptr_t)to, from, size), 0;
}
static int32_t receive(void *to, uint64_t from, size_t size, void *stream) {
    (void)stream;
    return memcpy(to, (const void *)(uintptr_t)from, size), 0;
}
/* No memory of a caller is pinned. */
static int32_t attribute(void *value, int32_t which, uint64_t address) {
    (void)value, (void)which, (void)address;
    return kInvalidValue;
}
static int32_t fill(uint64_t to, uint8_t value, size_t size, void *stream) {
    (void)stream;
    return memset((void *)(uintptr_t)to, value, size), 0;
}
/* The beginning of a kernel that is compiled for the host (tests/fakes/host_kernel.h). */
struct host_kernel {
    const char *name;
    void (*run)(unsigned x, unsigned y, void *const *parameters);
};
static void run_on_host(const struct host_kernel *kernel, uint32_t x, uint32_t y,
                        void **parameters) {
    static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&one_at_a_time);
    __atomic_add_fetch(&kernels_running, 1, __ATOMIC_ACQ_REL);
    kernel->run(x, y, parameters);
    __atomic_sub_fetch(&kernels_running, 1, __ATOMIC_ACQ_REL);
    pthread_mutex_unlock(&one_at_a_time);
}
/* Runs a kernel. NULL is one of PairHMM's, which finds every result out of range: the engine has
 * filled what it waits for with ones, and no call here waits for more than a buffer of the least
 * size has room for. */
static int32_t launch(void *kernel, uint32_t x, uint32_t y, uint32_t z, uint32_t a, uint32_t b,
                      uint32_t c, uint32_t shared, void *stream, void **parameters, void **extra) {
    (void)z, (void)a, (void)b, (void)c, (void)shared, (void)stream, (void)extra;
    if (kernel) return run_on_host(kernel, x, y, parameters), 0;
    double *const results = *(double **)parameters[3];
    for (int k = 0; k < (1 << 16) / (int)sizeof(double); k++) results[k] = NAN;
    return 0;
}
static int32_t error_text(int32_t error, const char **text) {
    *text = error == kOutOfMemory ? "out of memory" : NULL;
    return 0;
}

const gkl_shim_cuda_driver scarce_driver = {
    .cuCtxPushCurrent_v2 = on_context,
    .cuCtxPopCurrent_v2 = pop,
    .cuMemAlloc_v2 = on_device,
    .cuMemFree_v2 = free_on_device,
    .cuMemHostAlloc = on_host,
    .cuMemFreeHost = destroy,
    .cuStreamCreate = handle,
    .cuStreamDestroy_v2 = destroy,
    .cuStreamQuery = on_context,
    .cuStreamSynchronize = on_context,
    .cuEventCreate = handle,
    .cuEventDestroy_v2 = destroy,
    .cuEventRecord = record,
    .cuEventSynchronize = on_context,
    .cuMemcpyHtoDAsync_v2 = send,
    .cuMemcpyDtoHAsync_v2 = receive,
    .cuPointerGetAttribute = attribute,
    .cuMemsetD8Async = fill,
    .cuLaunchKernel = launch,
    .cuGetErrorName = error_text,
    .cuGetErrorString = error_text,
};

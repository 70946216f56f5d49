// The CUDA driver, through the functions that the Python package hands over (gkl_shim_cuda_driver
// in gkl_shim_internal.h): no CUDA header or library is needed to build this.
#pragma once

#include <stdio.h>

#include <string>

#include "common/error.h"
#include "gkl_shim_internal.h"

namespace gkl_shim {

// The driver's constants that are used.
enum {
    kDriverOk = 0,
    kDriverNotReady = 600,
    kHostPortable = 1,       // pinned memory that every device's context knows
    kStreamNonBlocking = 1,  // it waits for no other stream
    kEventBlocking = 1,      // who waits for it sleeps
    kEventSpinning = 0,      // who waits for it keeps looking
    kAttributeMemoryType = 2,
    kMemoryTypeHost = 1,
};

// The most blocks of kernels that loop: more blocks would only repeat their loop.
constexpr int64_t kMaxBlocks = int64_t(1) << 20;

// A line that says what is wrong. It allocates nothing, because memory may be short.
typedef char ShortText[256];

// An error that a function of the driver returned. The function or an earlier kernel caused it.
struct CudaFailure {
    ShortText reason;
};

// The driver, where each error becomes a CudaFailure.
class CudaDriver {
   public:
    explicit CudaDriver(const gkl_shim_cuda_driver &functions) : functions_(functions) {}

#define CALL(name, ...) check(functions_.name(__VA_ARGS__), #name)
    void push(void *context) const { CALL(cuCtxPushCurrent_v2, context); }
    void pop() const {
        void *context;
        functions_.cuCtxPopCurrent_v2(&context);
    }
    void *stream() const {
        void *stream;
        CALL(cuStreamCreate, &stream, kStreamNonBlocking);
        return stream;
    }
    void *event(uint32_t kind) const {
        void *event;
        CALL(cuEventCreate, &event, kind);
        return event;
    }
    // Pinned memory of the host, or memory of the device, as the address says.
    void allocate(size_t size, void **memory) const {
        CALL(cuMemHostAlloc, memory, size, kHostPortable);
    }
    void allocate(size_t size, uint64_t *memory) const { CALL(cuMemAlloc_v2, memory, size); }
    void send(uint64_t to, const void *from, int64_t size, void *stream) const {
        CALL(cuMemcpyHtoDAsync_v2, to, from, size_t(size), stream);
    }
    void fetch(void *to, uint64_t from, int64_t size, void *stream) const {
        CALL(cuMemcpyDtoHAsync_v2, to, from, size_t(size), stream);
    }
    // Whether memory of the host is pinned. Of other memory the driver knows nothing.
    bool is_pinned(const void *memory) const {
        uint32_t type = 0;
        const uint64_t address = reinterpret_cast<uintptr_t>(memory);
        return functions_.cuPointerGetAttribute(&type, kAttributeMemoryType, address) ==
                   kDriverOk &&
               type == kMemoryTypeHost;
    }
    void fill(uint64_t to, int value, int64_t size, void *stream) const {
        CALL(cuMemsetD8Async, to, uint8_t(value), size_t(size), stream);
    }
    void launch(void *kernel, int32_t blocks, int32_t rows, int32_t threads, int32_t shared_bytes,
                void *stream, void **parameters) const {
        CALL(cuLaunchKernel, kernel, uint32_t(blocks), uint32_t(rows), 1, uint32_t(threads), 1, 1,
             uint32_t(shared_bytes), stream, parameters, nullptr);
    }
    void record(void *event, void *stream) const { CALL(cuEventRecord, event, stream); }
    void wait_for_event(void *event) const { CALL(cuEventSynchronize, event); }
    void wait_for_stream(void *stream) const { CALL(cuStreamSynchronize, stream); }
    bool is_done(void *stream) const {
        const int32_t error = functions_.cuStreamQuery(stream);
        if (error == kDriverNotReady) return false;
        check(error, "cuStreamQuery");
        return true;
    }
#undef CALL

    // These ignore errors: what a failed device does not free is freed when the process ends.
    void free_stream(void *stream) const { functions_.cuStreamDestroy_v2(stream); }
    void free_event(void *event) const { functions_.cuEventDestroy_v2(event); }
    void free(void *memory) const {
        if (memory) functions_.cuMemFreeHost(memory);
    }
    void free(uint64_t memory) const {
        if (memory) functions_.cuMemFree_v2(memory);
    }

   private:
    void check(int32_t error, const char *function) const {
        if (error == kDriverOk) return;
        const char *name = nullptr, *text = nullptr;
        functions_.cuGetErrorName(error, &name);
        functions_.cuGetErrorString(error, &text);
        CudaFailure failure;
        snprintf(failure.reason, sizeof failure.reason, "%s: %s (%s)", function,
                 name ? name : "an unknown error", text ? text : std::to_string(error).c_str());
        throw failure;
    }

    const gkl_shim_cuda_driver functions_;
};

// A scope in which a device's context is current in this thread. Then the thread's own context
// is current again.
class CudaContext {
   public:
    CudaContext(const CudaDriver &driver, void *context) : driver_(driver) { driver.push(context); }
    ~CudaContext() { driver_.pop(); }
    CudaContext(const CudaContext &) = delete;

   private:
    const CudaDriver &driver_;
};

}  // namespace gkl_shim

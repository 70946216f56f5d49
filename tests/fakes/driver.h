// The functions of the stand-in driver (driver.cpp), as an engine calls them.
#pragma once

#include <type_traits>

#include "gkl_shim_internal.h"

#define FUNCTIONS_OF_DRIVER(USE) \
    USE(cuCtxPushCurrent_v2)     \
    USE(cuCtxPopCurrent_v2)      \
    USE(cuMemAlloc_v2)           \
    USE(cuMemFree_v2)            \
    USE(cuMemHostAlloc)          \
    USE(cuMemFreeHost)           \
    USE(cuStreamCreate)          \
    USE(cuStreamDestroy_v2)      \
    USE(cuStreamQuery)           \
    USE(cuStreamSynchronize)     \
    USE(cuEventCreate)           \
    USE(cuEventDestroy_v2)       \
    USE(cuEventRecord)           \
    USE(cuEventSynchronize)      \
    USE(cuMemcpyHtoDAsync_v2)    \
    USE(cuMemcpyDtoHAsync_v2)    \
    USE(cuPointerGetAttribute)   \
    USE(cuMemsetD8Async)         \
    USE(cuLaunchKernel)          \
    USE(cuGetErrorName)          \
    USE(cuGetErrorString)

extern "C" {
#define DECLARE(name) extern std::remove_pointer<decltype(gkl_shim_cuda_driver::name)>::type name;
FUNCTIONS_OF_DRIVER(DECLARE)
#undef DECLARE
void *fake_driver(int devices, int slow);
void *fake_context(void *driver, int device);
void *fake_kernel(void *driver, const char *name, const void *host, const double *values,
                  int count);
void fake_fail(void *driver, const char *function, int64_t after, int device, int loses);
char *fake_report(void *driver);
}

namespace {

const gkl_shim_cuda_driver *fake_functions() {
    static gkl_shim_cuda_driver functions;
#define ASSIGN(name) functions.name = name;
    FUNCTIONS_OF_DRIVER(ASSIGN)
#undef ASSIGN
    return &functions;
}

}  // namespace

// A CUDA kernel that is compiled for the host, as the stand-in driver launches it.
#pragma once

#include <stdint.h>
#include <string.h>

namespace fakes {

enum { kMaxParameters = 8 };

struct HostKernel {
    const char *name;
    // Runs a grid of x * y blocks.
    void (*run)(unsigned x, unsigned y, void *const *parameters);
    // The size of each parameter in bytes; 0 after the last one.
    int64_t sizes[kMaxParameters];
};

// Given a kernel's function, describes the kernel.
template <class... Parameters>
HostKernel host_kernel(const char *name, void (*)(Parameters...),
                       void (*run)(unsigned, unsigned, void *const *)) {
    static_assert(sizeof...(Parameters) < kMaxParameters, "too many parameters");
    return {name, run, {int64_t(sizeof(Parameters))...}};
}

// Null if there is none of that name.
template <int COUNT>
const HostKernel *find(const HostKernel (&kernels)[COUNT], const char *name) {
    for (const HostKernel &kernel : kernels)
        if (strcmp(kernel.name, name) == 0) return &kernel;
    return nullptr;
}

}  // namespace fakes

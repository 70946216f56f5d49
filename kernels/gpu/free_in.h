// Frees what objects hold of a device.
#pragma once

#include <memory>
#include <vector>

#include "gpu/driver.h"

namespace gkl_shim::gpu {

template <class T>
void abandon(std::unique_ptr<T> &owner) {
    (void)owner.release();
}
template <class T>
void abandon(std::vector<std::unique_ptr<T>> &owners) {
    for (std::unique_ptr<T> &owner : owners) abandon(owner);
}

// Destroys what owners hold, one owner after another, while the device's context is current. An
// owner is a unique_ptr or a vector of them. If the device has failed, nothing can be freed: then
// the objects stay as they are, and their memory goes with the process.
template <class... Owners>
void free_in(const CudaDriver &driver, void *context, Owners &...owners) {
    try {
        const CudaContext current(driver, context);
        ((owners = Owners()), ...);
    } catch (const CudaFailure &) {
        (abandon(owners), ...);
    }
}

}  // namespace gkl_shim::gpu

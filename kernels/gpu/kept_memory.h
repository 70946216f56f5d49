// Memory that grows with the need and is kept: pinned memory of the host, or memory of a device.
#pragma once

#include <stdint.h>

#include <utility>

#include "gpu/driver.h"

namespace gkl_shim {
namespace gpu {

// Given the sizes that chunks need, one after the other, makes memory that holds each of them.
// `Address` is void * for pinned memory of the host, and uint64_t for memory of a device.
//
// Sizes are powers of two, so that memory that has held a few chunks holds most of the next ones:
// while the driver allocates, nobody can launch. A large block, where device memory may be scarce,
// is only a quarter larger than needed.
template <class Address>
class KeptMemory {
   public:
    Address address() const { return address_; }
    int64_t size() const { return size_; }

    // What size() is after grow(size).
    int64_t size_for(int64_t size) const {
        if (size_ >= size) return size_;
        int64_t larger = kSmallest;
        while (larger < size && larger < kLarge) larger *= 2;
        return larger < size ? int64_t(double(size) * kGrowth) : larger;
    }

    // Returns whether the memory is new. The stream may still use the old memory, since results
    // are seen before the stream is done.
    bool grow(const CudaDriver &driver, void *stream, int64_t size) {
        if (size_ >= size) return false;
        const int64_t larger = size_for(size);
        driver.wait_for_stream(stream);
        free(driver);
        Address address;
        driver.allocate(size_t(larger), &address);
        address_ = address;
        size_ = larger;
        return true;
    }

    void free(const CudaDriver &driver) {
        size_ = 0;
        driver.free(std::exchange(address_, Address()));
    }

   private:
    static constexpr int64_t kSmallest = 1 << 16, kLarge = 1 << 27;
    static constexpr double kGrowth = 1.25;

    Address address_ = {};
    int64_t size_ = 0;
};

}  // namespace gpu
}  // namespace gkl_shim

// Memory that frees itself: pinned memory of the host, or memory of a device.
#pragma once

#include <stdint.h>

#include <utility>

#include "gpu/driver.h"

namespace gkl_shim::gpu {

// Arrays in a block of memory begin at multiples of 256 bytes.
inline int64_t aligned(int64_t at) { return (at + 255) / 256 * 256; }

// A block of fixed size. `Address` is void * for pinned memory of the host, and uint64_t for memory
// of a device. The device's context is current in the constructor and in the destructor.
template <class Address>
class Memory {
   public:
    Memory(const CudaDriver &driver, int64_t size) : driver_(driver) {
        driver.allocate(size_t(size), &address_);
    }
    ~Memory() { driver_.free(address_); }
    Memory(const Memory &) = delete;

    Address address() const { return address_; }
    // What lies `at` bytes from there.
    template <class T>
    T *as(int64_t at = 0) const {
        return reinterpret_cast<T *>(uintptr_t(address_) + uintptr_t(at));
    }

   private:
    const CudaDriver &driver_;
    Address address_ = {};
};

// A block that grows with the needs of one chunk after another, and is kept for the next. The
// device's context is current in grow(), free() and the destructor.
//
// Sizes are powers of two, so that memory that has held a few chunks holds most of the next ones:
// while the driver allocates, nobody can launch. A large block, where device memory may be scarce,
// is only a quarter larger than needed.
template <class Address>
class KeptMemory {
   public:
    KeptMemory() = default;
    ~KeptMemory() {
        if (driver_) free(*driver_);
    }
    KeptMemory(const KeptMemory &) = delete;

    Address address() const { return address_; }
    template <class T>
    T *as(int64_t at = 0) const {
        return reinterpret_cast<T *>(uintptr_t(address_) + uintptr_t(at));
    }
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
        driver_ = &driver;
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

    const CudaDriver *driver_ = nullptr;  // which allocated it
    Address address_ = {};
    int64_t size_ = 0;
};

}  // namespace gkl_shim::gpu

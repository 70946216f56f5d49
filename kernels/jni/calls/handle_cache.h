// Handles that Java's calls share.
#pragma once

#include <stddef.h>

#include <atomic>
#include <mutex>
#include <vector>

namespace gkl_shim::jni {

// Handles of one algorithm, by number. Each is opened on first use and never closed. So a caller
// that closes does not disturb others, and HaplotypeCallerSpark, which never calls done(), leaks
// nothing. Any thread may use this.
template <class Handle>
class HandleCache {
   public:
    explicit HandleCache(size_t count) : handles_(count) {}

    // Returns a handle, which open() returns if there is none yet. Throws what open() throws.
    template <class Open>
    Handle *get(size_t number, Open open) {
        std::atomic<Handle *> &slot = handles_[number];
        Handle *handle = slot.load(std::memory_order_acquire);
        if (handle != nullptr) return handle;
        const std::lock_guard<std::mutex> lock(opening_);
        handle = slot.load(std::memory_order_relaxed);
        if (handle != nullptr) return handle;
        handle = open();
        slot.store(handle, std::memory_order_release);
        return handle;
    }

    // Calls visit() for each open handle.
    template <class Visit>
    void for_each(Visit visit) const {
        for (const auto &slot : handles_)
            if (const Handle *handle = slot.load(std::memory_order_acquire)) visit(handle);
    }

   private:
    std::vector<std::atomic<Handle *>> handles_;
    std::mutex opening_;
};

}  // namespace gkl_shim::jni

// Handles that Java's calls share.
#pragma once

#include <map>
#include <mutex>

namespace gkl_shim::jni {

// Handles of one algorithm, by number. Each is opened on first use and never closed. So a caller
// that closes does not disturb others, and HaplotypeCallerSpark, which never calls done(), leaks
// nothing. Any thread may use this.
template <class Handle>
class HandleCache {
   public:
    // Returns a handle, which open() returns if there is none yet. Throws what open() throws.
    template <class Open>
    Handle *get(int number, Open open) {
        const std::lock_guard<std::mutex> lock(mutex_);
        Handle *&handle = handles_[number];
        if (handle == nullptr) handle = open();
        return handle;
    }

    // Calls visit() for each open handle.
    template <class Visit>
    void for_each(Visit visit) {
        const std::lock_guard<std::mutex> lock(mutex_);
        for (const auto &[number, handle] : handles_)
            if (handle != nullptr) visit(handle);
    }

   private:
    std::mutex mutex_;
    std::map<int, Handle *> handles_;  // null where opening has failed
};

}  // namespace gkl_shim::jni

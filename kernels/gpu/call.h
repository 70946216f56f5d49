// One call of an engine, which several threads work on.
#pragma once

#include <stdio.h>

#include <atomic>
#include <mutex>

#include "common/error.h"
#include "gpu/driver.h"

namespace gkl_shim::gpu {

// The first error of all threads that work on a call.
class Call {
   public:
    // The call fails with the calling thread's last error.
    void fail(gkl_shim_status why) {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (failed_) return;
        status_ = why;
        snprintf(message_, sizeof message_, "%s", gkl_shim_last_error());
        failed_ = true;
    }
    bool failed() const { return failed_; }

    // The call's status so far. Sets the calling thread's last error.
    gkl_shim_status status() const {
        if (failed_) gkl_shim::fail("%s", message_);
        return status_;
    }

    // Does work that may throw; an exception fails the call.
    template <class Work>
    void attempt(Work work) {
        const gkl_shim_status status = guarded([&] { work(); });
        if (status != GKL_SHIM_OK) fail(status);
    }

   private:
    std::mutex mutex_;
    std::atomic<bool> failed_{false};
    gkl_shim_status status_ = GKL_SHIM_OK;
    ShortText message_ = "";
};

}  // namespace gkl_shim::gpu

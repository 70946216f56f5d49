#include "gpu/call.h"

#include <stdio.h>

namespace gkl_shim {
namespace gpu {

void Call::fail(gkl_shim_status why) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (failed_) return;
    status_ = why;
    snprintf(message_, sizeof message_, "%s", gkl_shim_last_error());
    failed_ = true;
}

gkl_shim_status Call::status() const {
    if (failed_) gkl_shim::fail("%s", message_);
    return status_;
}

}  // namespace gpu
}  // namespace gkl_shim

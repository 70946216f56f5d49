#include "python_host/python_host.h"

#include <string.h>

#include <chrono>
#include <utility>

#include "common/error.h"
#include "common/text/printable.h"
#include "common/thread_pool.h"
#include "python_host/interpreter.h"

namespace gkl_shim {

constexpr size_t kStackBytes = size_t(16) << 20;

void PythonHost::start() {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (state_ != kIdle) return;
        state_ = kStarting;
        text_ = "starting";
    }
    // start_thread() blocks signals, so threads that CuPy starts from here receive none either.
    const int failed = start_thread(
        [](void *host) -> void * {
            static_cast<PythonHost *>(host)->run();
            return nullptr;
        },
        this, kStackBytes);
    if (failed) finish(kFailed, std::string("no thread for Python: ") + strerror(failed));
}

void PythonHost::run() noexcept {
    try {
        std::string reason;
        const gkl_shim_opened *const opened = open_in_python(algorithm_, "", &reason);
        if (opened) reason = open_engine_(*opened);
        finish(reason.empty() ? kOpen : kFailed,
               printable(reason.empty() ? opened->devices : reason));
    } catch (...) {  // std::bad_alloc
        finish(kFailed, "out of memory");
    }
}

void PythonHost::finish(State state, std::string text) {
    const std::lock_guard<std::mutex> lock(mutex_);
    text_ = std::move(text);
    state_ = state;
    changed_.notify_all();
}

PythonHost::State PythonHost::wait(double seconds) {
    if (state_ == kStarting && seconds > 0) {
        std::unique_lock<std::mutex> lock(mutex_);
        changed_.wait_for(lock, std::chrono::duration<double>(seconds),
                          [this] { return state_ != kStarting; });
    }
    return state_;
}

std::string PythonHost::text() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return text_;
}

gkl_shim_status open_engine(const char *algorithm, const char *devices, OpenRecord open,
                            gkl_shim_cuda_engine **engine) {
    if (!engine) return invalid("engine is null");
    *engine = nullptr;
    if (!devices) devices = "";
    return guarded([&] {
        if (devices[strspn(devices, "0123456789,")])
            return invalid("devices is \"%s\", not numbers separated by commas",
                           printable(devices).c_str());
        std::string reason;
        const gkl_shim_opened *const opened = open_in_python(algorithm, devices, &reason);
        if (opened) return open(opened->record, engine);
        fail("%s", printable(reason).c_str());
        return GKL_SHIM_EUNAVAILABLE;
    });
}

}  // namespace gkl_shim

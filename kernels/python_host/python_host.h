// GPUs that Python opens for a process that is not Python, such as a JVM.
//
// CuPy opens devices and loads kernels, in an interpreter that is started inside this process on
// first use (interpreter.h), so a process that asks for no GPU needs no Python. gkl-shim must be
// installed there, in the version of this library. The interpreter is never finalized, because the
// process may end while its threads compute.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>

#include "gkl_shim_internal.h"

namespace gkl_shim {

// The GPUs of one algorithm. Python's function gkl_shim.cuda.opened_by_library.opened(algorithm)
// opens them.
class PythonHost {
   public:
    enum State { kIdle, kStarting, kOpen, kFailed };

    // Prepares the algorithm's engine with what Python has opened, before any call uses it. Returns
    // why it cannot be used; an empty string if it can.
    typedef std::string (*OpenEngine)(const gkl_shim_opened &opened);

    // A host is never destroyed.
    PythonHost(const char *algorithm, OpenEngine open_engine)
        : algorithm_(algorithm), open_engine_(open_engine) {}

    // Starts a thread that opens the GPUs, and returns at once. Later calls do nothing.
    void start();

    // The state, after waiting at most `seconds` while Python starts.
    State wait(double seconds = 0);

    // One line: the devices that are open, or why there are none.
    std::string text();

   private:
    void run() noexcept;
    void finish(State state, std::string text);

    const char *const algorithm_;
    const OpenEngine open_engine_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::atomic<State> state_{kIdle};
    std::string text_ = "not asked for";
};

// Opens an algorithm's engine with what Python has opened.
typedef gkl_shim_status (*OpenRecord)(const void *record, gkl_shim_cuda_engine **engine);

// Opens the GPUs of an algorithm for a caller who waits: gkl_shim_<algorithm>_cuda_engine_open().
gkl_shim_status open_engine(const char *algorithm, const char *devices, OpenRecord open,
                            gkl_shim_cuda_engine **engine);

}  // namespace gkl_shim

// CPython inside any process: a JVM, a C program, or Python itself.
//
// CuPy code opens the GPU engines, through the module gkl_shim.cuda.opened_by_library. It runs in
// the interpreter that GKL_SHIM_PYTHON names, otherwise in the python3 on the PATH; gkl-shim must
// be installed there. We run that interpreter to ask for the path of its shared library, check the
// answer (safe_file.h), and open the library on first use. So a process that asks for no GPU needs
// no Python. We use only Python's stable ABI, so one build of ours works with every Python from
// 3.10 on.
//
// Nothing is loaded from the working directory. Only absolute entries of PATH and PYTHONPATH count.
// Of Python's other environment variables only PYTHONNOUSERSITE and PYTHONUSERBASE are read.
//
// The host's signal handlers stay in place. Python is never finalized, because the process may end
// while its threads compute.
#pragma once

#include <stdint.h>

#include <condition_variable>
#include <initializer_list>
#include <mutex>
#include <string>

namespace gkl_shim {

class PythonHost {
   public:
    enum State { kIdle, kStarting, kReady, kFailed };

    static PythonHost &get();

    // Starts Python on a thread of its own and returns at once. Later calls do nothing.
    void start();

    // Waits until Python is ready or has failed, for at most `seconds`. Returns whether it is
    // ready.
    bool wait_ready(double seconds);
    bool ready();

    State state(std::string *detail);  // detail: what is used, or why nothing is

    // Calls a function of the module with integer arguments, from any thread. The function returns
    // an empty string for success, otherwise the reason. On failure returns false and sets *reason.
    bool call(const char *function, std::initializer_list<int64_t> arguments, std::string *reason);

   private:
    PythonHost() = default;
    void run() noexcept;
    bool open(std::string *detail);
    void finish(State state, std::string detail);

    std::mutex mutex_;
    std::condition_variable changed_;
    State state_ = kIdle;
    std::string detail_;
    void *module_ = nullptr;  // gkl_shim.cuda.opened_by_library
};

}  // namespace gkl_shim

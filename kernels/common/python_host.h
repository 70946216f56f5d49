// CPython inside a process that may be anything: a JVM, a C program, or Python itself.
//
// CuPy code opens the GPU engines, and the package gkl_shim.cuda.embedded is its door. It is
// reached through the interpreter's own shared library, opened when it is first wanted and used
// through the functions of Python's stable ABI only, so that one build of ours serves every Python
// from 3.10 on and no Python is needed where no GPU is asked for. Which interpreter:
// GKL_SHIM_PYTHON, or python3 on the PATH; the package must be installed there. It is asked where
// its library is, and its answer is checked (safe_file.h) before the library is opened.
//
// Nothing is taken from the working directory: of PATH and PYTHONPATH only absolute entries count,
// and Python's other environment variables do not, except PYTHONNOUSERSITE and PYTHONUSERBASE.
//
// The host's signal handlers stay as they are, and Python is never finalized: the process may end
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

    // Begins on a thread of its own and returns at once; later calls do nothing.
    void start();

    // Waits until it is ready or has failed, so long at most; returns whether it is ready.
    bool wait_ready(double seconds);
    bool ready();

    State state(std::string *detail);  // what is used, or why nothing is

    // Calls the door's function with integers, from any thread. It returns a string: empty for
    // success. False, with the reason, where it failed.
    bool call(const char *function, std::initializer_list<int64_t> arguments, std::string *reason);

   private:
    PythonHost() = default;
    void run() noexcept;
    bool open(std::string *detail);
    bool open_interpreter(std::string *name, std::string *reason);
    void finish(State state, std::string detail);

    std::mutex mutex_;
    std::condition_variable changed_;
    State state_ = kIdle;
    std::string detail_;
    void *module_ = nullptr;  // gkl_shim.cuda.embedded
};

}  // namespace gkl_shim

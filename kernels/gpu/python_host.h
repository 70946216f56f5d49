// CPython inside a process that may be anything: a JVM, a C program, or Python itself.
//
// CuPy code opens the GPU engines; the module gkl_shim.cuda.embedded is its entry. It runs in the
// interpreter that GKL_SHIM_PYTHON names, or in python3 on the PATH, where gkl-shim must be
// installed. That interpreter is asked where its shared library is. The answer is checked
// (safe_file.h), and the library is opened when it is first wanted: no Python is needed where no
// GPU is asked for. Once started, it is used through Python's stable ABI only, so that one build of
// ours serves every Python from 3.10 on.
//
// Nothing is taken from the working directory. Of PATH and PYTHONPATH only absolute entries count.
// Of Python's other environment variables only PYTHONNOUSERSITE and PYTHONUSERBASE do.
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

    // Waits until it is ready or has failed, at most so many seconds; returns whether it is ready.
    bool wait_ready(double seconds);
    bool ready();

    State state(std::string *detail);  // what is used, or why nothing is

    // Calls a function of the module with integers, from any thread. It returns a string: empty for
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

#include "gpu/python_host.h"

#include <signal.h>
#include <string.h>

#include <chrono>
#include <utility>

#include "common/printable.h"
#include "common/thread_pool.h"
#include "gpu/python_api.h"
#include "gpu/python_interpreter.h"

namespace gkl_shim {
namespace {

const char kModule[] = "gkl_shim.cuda.opened_by_library";
const char kAdvice[] =
    "; set GKL_SHIM_PYTHON to the absolute path of the Python that has gkl-shim and CuPy";

// Restores the host's signal handlers, which the interpreter may replace.
class SignalsKept {
   public:
    SignalsKept() {
        for (size_t k = 0; k < sizeof kSignals / sizeof *kSignals; k++)
            sigaction(kSignals[k], nullptr, &before_[k]);
    }
    ~SignalsKept() {
        for (size_t k = 0; k < sizeof kSignals / sizeof *kSignals; k++)
            sigaction(kSignals[k], &before_[k], nullptr);
    }

   private:
    static constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ, SIGUSR1, SIGUSR2};
    struct sigaction before_[sizeof kSignals / sizeof *kSignals];
};
constexpr int SignalsKept::kSignals[];

}  // namespace

PythonHost &PythonHost::get() {
    static PythonHost *host = new PythonHost;  // never destroyed; see the header
    return *host;
}

void PythonHost::start() {
    {
        std::lock_guard<std::mutex> lock(mutex_);
        if (state_ != kIdle) return;
        state_ = kStarting;
    }
    // start_thread() blocks signals, so threads that CuPy starts from here receive none either.
    const int failed = start_thread(
        [](void *host) -> void * {
            static_cast<PythonHost *>(host)->run();
            return nullptr;
        },
        this, size_t(16) << 20);
    if (failed) finish(kFailed, std::string("no thread for Python: ") + strerror(failed));
}

void PythonHost::run() noexcept {
    std::string detail;
    State state = kFailed;
    try {
        if (open(&detail)) state = kReady;
        detail = printable(detail);
    } catch (...) {  // std::bad_alloc
        state = kFailed;
        detail = "out of memory";
    }
    finish(state, std::move(detail));
}

bool PythonHost::open(std::string *detail) {
    const SignalsKept signals;
    std::string name = "this process";
    if (!open_interpreter(&name, detail)) {
        *detail = name + ": " + *detail + kAdvice;
        return false;
    }
    const WithPython held;
    module_ = python.PyImport_ImportModule(kModule);
    if (!module_) {
        *detail = name + ": " + python_exception() + kAdvice;
        return false;
    }
    const PythonObject function(python.PyObject_GetAttrString(module_, "start"));
    const PythonObject device(function.get() ? python.PyObject_CallObject(function.get(), nullptr)
                                             : nullptr);
    *detail = device.get() ? python_text(device.get()) : python_exception();
    return device.get() != nullptr;
}

void PythonHost::finish(State state, std::string detail) {
    std::lock_guard<std::mutex> lock(mutex_);
    state_ = state;
    detail_ = std::move(detail);
    changed_.notify_all();
}

bool PythonHost::wait_ready(double seconds) {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait_for(lock, std::chrono::duration<double>(seconds),
                      [this] { return state_ != kStarting; });
    return state_ == kReady;
}

bool PythonHost::ready() {
    std::lock_guard<std::mutex> lock(mutex_);
    return state_ == kReady;
}

PythonHost::State PythonHost::state(std::string *detail) {
    std::lock_guard<std::mutex> lock(mutex_);
    *detail = detail_;
    return state_;
}

bool PythonHost::call(const char *name, std::initializer_list<int64_t> arguments,
                      std::string *reason) {
    const WithPython held;
    const PythonObject function(python.PyObject_GetAttrString(module_, name));
    const PythonObject tuple(python.PyTuple_New(ptrdiff_t(arguments.size())));
    if (function.get() && tuple.get()) {
        ptrdiff_t k = 0;
        for (const int64_t argument : arguments)
            python.PyTuple_SetItem(tuple.get(), k++, python.PyLong_FromLongLong(argument));
        const PythonObject said(python.PyObject_CallObject(function.get(), tuple.get()));
        if (said.get()) {
            *reason = python_text(said.get());
            return reason->empty();
        }
    }
    *reason = python_exception();
    return false;
}

}  // namespace gkl_shim

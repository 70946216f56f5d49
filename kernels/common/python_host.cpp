#include "common/python_host.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>

#include "common/thread_pool.h"

extern char **environ;

namespace gkl_shim {
namespace {

const char kDoor[] = "gkl_shim.cuda.embedded";

// Has the interpreter say where its shared library is, and its own program. Nothing but what comes
// with it is imported: its packages would be read twice, here and in this process.
const char kFindLibrary[] = R"python(
import sys
from os import path
from sysconfig import get_config_var as variable

name = variable("INSTSONAME") or variable("LDLIBRARY") or ""
places = [path.join(p, name) for p in (variable("LIBDIR"), sys.base_prefix + "/lib") if p]
found = [p for p in places if ".so" in name and path.isfile(p)]
if not found:
    package = "libpython{}.{}".format(*sys.version_info)
    sys.exit("it has no shared library here (Debian: apt install " + package + ")")
print(found[0], sys.executable, sep="\n")
)python";

// What we use of Python's stable ABI. Objects are void pointers here: no header of Python's is
// needed to build this.
struct Python {
    int (*Py_IsInitialized)();
    void (*Py_InitializeEx)(int);
    int (*PyGILState_Ensure)();
    void (*PyGILState_Release)(int);
    void *(*PyEval_SaveThread)();
    wchar_t *(*Py_DecodeLocale)(const char *, size_t *);
    void *(*PyImport_ImportModule)(const char *);
    void *(*PyObject_GetAttrString)(void *, const char *);
    void *(*PyObject_CallObject)(void *, void *);
    void *(*PyTuple_New)(ptrdiff_t);
    int (*PyTuple_SetItem)(void *, ptrdiff_t, void *);
    void *(*PyLong_FromLongLong)(long long);
    const char *(*PyUnicode_AsUTF8AndSize)(void *, ptrdiff_t *);
    void (*PyErr_Fetch)(void **, void **, void **);
    void *(*PyObject_Str)(void *);
    void (*Py_DecRef)(void *);

    // Before initialization, to be found in its own environment; one or the other exists.
    void (*Py_SetProgramName)(const wchar_t *);
    void *(*PyInitConfig_Create)();
    int (*PyInitConfig_SetStr)(void *, const char *, const char *);
    int (*PyInitConfig_SetInt)(void *, const char *, int64_t);
    int (*Py_InitializeFromInitConfig)(void *);

    // `library` may be RTLD_DEFAULT. Returns the name of a function that is missing, or null.
    const char *load(void *library) {
        const char *missing = nullptr;
#define REQUIRED(name)                                              \
    name = reinterpret_cast<decltype(name)>(dlsym(library, #name)); \
    if (!name) missing = #name
#define OPTIONAL(name) name = reinterpret_cast<decltype(name)>(dlsym(library, #name))
        REQUIRED(Py_IsInitialized);
        REQUIRED(Py_InitializeEx);
        REQUIRED(PyGILState_Ensure);
        REQUIRED(PyGILState_Release);
        REQUIRED(PyEval_SaveThread);
        REQUIRED(Py_DecodeLocale);
        REQUIRED(PyImport_ImportModule);
        REQUIRED(PyObject_GetAttrString);
        REQUIRED(PyObject_CallObject);
        REQUIRED(PyTuple_New);
        REQUIRED(PyTuple_SetItem);
        REQUIRED(PyLong_FromLongLong);
        REQUIRED(PyUnicode_AsUTF8AndSize);
        REQUIRED(PyErr_Fetch);
        REQUIRED(PyObject_Str);
        REQUIRED(Py_DecRef);
        OPTIONAL(Py_SetProgramName);
        OPTIONAL(PyInitConfig_Create);
        OPTIONAL(PyInitConfig_SetStr);
        OPTIONAL(PyInitConfig_SetInt);
        OPTIONAL(Py_InitializeFromInitConfig);
#undef REQUIRED
#undef OPTIONAL
        return missing;
    }
};

Python python;

// The interpreter lock, for a thread that Python may never have seen.
class WithPython {
   public:
    WithPython() : state_(python.PyGILState_Ensure()) {}
    ~WithPython() { python.PyGILState_Release(state_); }
    WithPython(const WithPython &) = delete;

   private:
    const int state_;
};

// A reference that is given back.
class Object {
   public:
    explicit Object(void *object) : object_(object) {}
    ~Object() {
        if (object_) python.Py_DecRef(object_);
    }
    Object(const Object &) = delete;
    void *get() const { return object_; }

   private:
    void *object_;
};

std::string text_of(void *object) {
    const char *text = object ? python.PyUnicode_AsUTF8AndSize(object, nullptr) : nullptr;
    return text ? text : "";
}

// What the pending exception says; it is cleared.
std::string exception() {
    void *type = nullptr, *value = nullptr, *traceback = nullptr;
    python.PyErr_Fetch(&type, &value, &traceback);
    const Object held_type(type), held_value(value), held_traceback(traceback);
    const Object said(value ? python.PyObject_Str(value) : nullptr);
    const std::string text = text_of(said.get());
    if (!said.get() || text.empty()) {
        python.PyErr_Fetch(&type, &value, &traceback);
        const Object a(type), b(value), c(traceback);
        return "an exception without words";
    }
    return text;
}

// What the interpreter has taken over of the host's signals, given back.
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

// What a command prints on standard output; where it fails, the last line of what it says on
// standard error, and false.
bool output_of(const char *const *command, std::string *text) {
    int out[2], error[2];
    if (pipe2(out, O_CLOEXEC) != 0) return *text = strerror(errno), false;
    if (pipe2(error, O_CLOEXEC) != 0) {
        *text = strerror(errno);
        close(out[0]), close(out[1]);
        return false;
    }
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, out[1], 1);
    posix_spawn_file_actions_adddup2(&actions, error[1], 2);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    pid_t child;
    const int failed = posix_spawnp(&child, command[0], &actions, &attributes,
                                    const_cast<char *const *>(command), environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    close(out[1]), close(error[1]);
    std::string said[2];
    if (!failed) {
        pollfd from[2] = {{out[0], POLLIN, 0}, {error[0], POLLIN, 0}};
        for (int open = 2; open > 0;) {
            if (poll(from, 2, -1) < 0) {
                if (errno == EINTR) continue;
                break;
            }
            for (int k = 0; k < 2; k++) {
                if (!from[k].revents) continue;
                char part[4096];
                const ssize_t n = read(from[k].fd, part, sizeof part);
                if (n > 0) {
                    said[k].append(part, size_t(n));
                } else if (n == 0 || errno != EINTR) {
                    from[k].fd = -1;  // passed over from here on
                    from[k].revents = 0;
                    open--;
                }
            }
        }
    }
    close(out[0]), close(error[0]);
    if (failed) return *text = strerror(failed), false;
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return *text = said[0], true;
    std::string &complaint = said[1];
    while (!complaint.empty() && complaint.back() == '\n') complaint.pop_back();
    *text = complaint.substr(complaint.rfind('\n') + 1);
    if (text->empty()) *text = "it fails";
    return false;
}

}  // namespace

PythonHost &PythonHost::get() {
    static PythonHost *host = new PythonHost;  // never destroyed: see above
    return *host;
}

void PythonHost::start() {
    {
        std::lock_guard<std::mutex> lock(mutex_);
        if (state_ != kIdle) return;
        state_ = kStarting;
    }
    // What CuPy starts from here takes no signals either.
    const int failed = start_thread(
        [](void *host) -> void * {
            static_cast<PythonHost *>(host)->run();
            return nullptr;
        },
        this, size_t(16) << 20);
    if (failed) finish(kFailed, std::string("no thread for Python: ") + strerror(failed));
}

void PythonHost::run() {
    std::string reason;
    const SignalsKept signals;
    if (!open_interpreter(&reason)) return finish(kFailed, reason);
    const WithPython held;
    module_ = python.PyImport_ImportModule(kDoor);
    if (!module_) return finish(kFailed, exception());
    const Object function(python.PyObject_GetAttrString(module_, "start"));
    const Object device(function.get() ? python.PyObject_CallObject(function.get(), nullptr)
                                       : nullptr);
    if (!device.get()) return finish(kFailed, exception());
    finish(kReady, text_of(device.get()));
}

bool PythonHost::open_interpreter(std::string *reason) {
    // A process that is Python already.
    if (!python.load(RTLD_DEFAULT) && python.Py_IsInitialized()) return true;

    const char *chosen = getenv("GKL_SHIM_PYTHON");
    if (!chosen || !*chosen) chosen = "python3";
    const char *const command[] = {chosen, "-S", "-c", kFindLibrary, nullptr};
    std::string lines;
    if (!output_of(command, &lines)) {
        *reason = std::string(chosen) + ": " + lines;
        return false;
    }
    const std::string path = lines.substr(0, lines.find('\n'));
    std::string program = lines.substr(path.size() + 1);
    program = program.substr(0, program.find('\n'));
    // Global: extension modules find the interpreter's functions there.
    void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (!library) {
        *reason = dlerror();
        return false;
    }
    if (const char *missing = python.load(library)) {
        *reason = path + " lacks " + missing;
        return false;
    }
    if (python.PyInitConfig_Create && python.PyInitConfig_SetStr && python.PyInitConfig_SetInt &&
        python.Py_InitializeFromInitConfig) {
        void *config = python.PyInitConfig_Create();
        if (!config || python.PyInitConfig_SetStr(config, "program_name", program.c_str()) != 0 ||
            python.PyInitConfig_SetInt(config, "install_signal_handlers", 0) != 0 ||
            python.Py_InitializeFromInitConfig(config) != 0) {
            *reason = path + " does not start";
            return false;
        }
    } else {
        // Python finds its packages beside the program of this name. It keeps the string.
        if (wchar_t *name = python.Py_DecodeLocale(program.c_str(), nullptr))
            if (python.Py_SetProgramName) python.Py_SetProgramName(name);
        python.Py_InitializeEx(0);
    }
    python.PyEval_SaveThread();
    return true;
}

void PythonHost::finish(State state, const std::string &detail) {
    std::lock_guard<std::mutex> lock(mutex_);
    state_ = state;
    detail_ = detail;
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
    const Object function(python.PyObject_GetAttrString(module_, name));
    const Object tuple(python.PyTuple_New(ptrdiff_t(arguments.size())));
    if (function.get() && tuple.get()) {
        ptrdiff_t k = 0;
        for (const int64_t argument : arguments)
            python.PyTuple_SetItem(tuple.get(), k++, python.PyLong_FromLongLong(argument));
        const Object said(python.PyObject_CallObject(function.get(), tuple.get()));
        if (said.get()) {
            *reason = text_of(said.get());
            return reason->empty();
        }
    }
    *reason = exception();
    return false;
}

}  // namespace gkl_shim

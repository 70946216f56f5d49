#include "gpu/python_host.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "common/child_process.h"
#include "common/printable.h"
#include "common/safe_file.h"
#include "common/thread_pool.h"

namespace gkl_shim {
namespace {

const char kModule[] = "gkl_shim.cuda.opened_by_library";
const char kDefault[] = "python3";
const char kAdvice[] =
    "; set GKL_SHIM_PYTHON to the absolute path of the Python that has gkl-shim and CuPy";

// Limits on the interpreter's answer. A caller that asks for cuda waits ten seconds in all.
constexpr size_t kMostAnswer = 8192, kMostShown = 80;
constexpr double kSecondsToAnswer = 8;

// Prints the paths of the interpreter's shared library and program. Imports only the standard
// library, because packages would be loaded twice, here and in this process.
const char kFindLibrary[] = R"python(
import sys
from os import path
from sysconfig import get_config_var as variable

# conda's Python names its static library, and has a shared one beside it.
usual = "libpython{}.{}.so.1.0".format(*sys.version_info)
names = [n for n in (variable("INSTSONAME"), variable("LDLIBRARY"), usual) if n and ".so" in n]
folders = [p for p in (variable("LIBDIR"), sys.base_prefix + "/lib") if p]
found = [f for n in names for p in folders for f in [path.join(p, n)] if path.isfile(f)]
if not found:
    package = "libpython{}.{}".format(*sys.version_info)
    sys.exit("it has no shared library here (Debian: apt install " + package + ")")
print(found[0], sys.executable, sep="\n")
)python";

// The part of Python's stable ABI that we use. Objects are void pointers, so building this needs no
// Python headers.
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
    void *(*PySys_GetObject)(const char *);
    int (*PyList_Insert)(void *, ptrdiff_t, void *);
    void *(*PyUnicode_DecodeFSDefaultAndSize)(const char *, ptrdiff_t);
    void (*Py_DecRef)(void *);

    // For initialization: the first group up to Python 3.13, the second from 3.14 on.
    void (*Py_SetProgramName)(const wchar_t *);
    int *Py_IgnoreEnvironmentFlag;
    int *Py_NoUserSiteDirectory;
    int *Py_NoSiteFlag;
    void *(*PyInitConfig_Create)();
    int (*PyInitConfig_SetStr)(void *, const char *, const char *);
    int (*PyInitConfig_SetInt)(void *, const char *, int64_t);
    int (*Py_InitializeFromInitConfig)(void *);

    // `library` may be RTLD_DEFAULT. Returns the name of a missing function, or null.
    const char *load(void *library) {
        const char *missing = nullptr;
#define REQUIRED(name)                                              \
    name = reinterpret_cast<decltype(name)>(dlsym(library, #name)); \
    if (!name) missing = #name
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
        REQUIRED(PySys_GetObject);
        REQUIRED(PyList_Insert);
        REQUIRED(PyUnicode_DecodeFSDefaultAndSize);
        REQUIRED(Py_DecRef);
        PyInitConfig_Create =
            reinterpret_cast<decltype(PyInitConfig_Create)>(dlsym(library, "PyInitConfig_Create"));
        if (PyInitConfig_Create) {
            REQUIRED(PyInitConfig_SetStr);
            REQUIRED(PyInitConfig_SetInt);
            REQUIRED(Py_InitializeFromInitConfig);
        } else {
            REQUIRED(Py_SetProgramName);
            REQUIRED(Py_IgnoreEnvironmentFlag);
            REQUIRED(Py_NoUserSiteDirectory);
            REQUIRED(Py_NoSiteFlag);
        }
#undef REQUIRED
        return missing;
    }
};

Python python;

// Holds the GIL, in any thread, even one that Python has never seen.
class WithPython {
   public:
    WithPython() : state_(python.PyGILState_Ensure()) {}
    ~WithPython() { python.PyGILState_Release(state_); }
    WithPython(const WithPython &) = delete;

   private:
    const int state_;
};

// An owned reference.
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

// Clears the pending exception. Returns its message on one line, or its type if it has no message.
std::string exception() {
    void *type = nullptr, *value = nullptr, *traceback = nullptr;
    python.PyErr_Fetch(&type, &value, &traceback);
    const Object held_type(type), held_value(value), held_traceback(traceback);
    const Object message(value ? python.PyObject_Str(value) : nullptr);
    std::string text = text_of(message.get());
    if (text.empty() && type) {
        const Object name(python.PyObject_GetAttrString(type, "__name__"));
        text = text_of(name.get());
    }
    // Clears an exception raised while the message was being built.
    python.PyErr_Fetch(&type, &value, &traceback);
    const Object other_type(type), other_value(value), other_traceback(traceback);
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
}

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

// What the interpreter printed about itself.
struct Interpreter {
    std::string library, program;
};

// Checks an answer before anything in it is used. Returns false and sets *reason if it is refused.
bool parse(const std::string &answer, Interpreter *interpreter, std::string *reason) {
    if (answer.empty()) return *reason = "it printed nothing", false;
    const size_t first = answer.find('\n'), second = answer.find('\n', first + 1);
    const bool two_lines = 0 < first && first + 1 < second && second + 1 == answer.size();
    interpreter->library = answer.substr(0, first);
    interpreter->program = two_lines ? answer.substr(first + 1, second - first - 1) : "";
    if (!two_lines || printable(interpreter->library) != interpreter->library ||
        printable(interpreter->program) != interpreter->program) {
        *reason = "it printed something else than the paths of its library and its program: " +
                  answer.substr(0, kMostShown);
        return false;
    }
    const std::string name = interpreter->library.substr(interpreter->library.rfind('/') + 1);
    std::string fault;
    if (!is_safe_file(interpreter->library, &fault))
        *reason = "its library " + interpreter->library + " cannot be used: " + fault;
    else if (name.compare(0, 9, "libpython") != 0 || name.find(".so") == std::string::npos)
        *reason = "it printed " + interpreter->library + ", which is no Python library";
    else if (!is_safe_file(interpreter->program, &fault))
        *reason = "its program " + interpreter->program + " cannot be used: " + fault;
    else
        return true;
    return false;
}

bool is_set(const char *setting) {
    const char *const value = getenv(setting);
    return value && *value;
}

bool is_relative(const char *setting) {
    const char *const value = getenv(setting);
    return value && *value != '/';
}

// Starts the interpreter of `program`, without packages. Python reads none of its environment
// variables, in any version, because one of them could lead it to the working directory. The
// variables that count are read here and in add_packages().
bool initialize(const std::string &program) {
    const bool user_packages =
        !is_set("PYTHONNOUSERSITE") && !is_relative("PYTHONUSERBASE") && !is_relative("HOME");
    if (python.PyInitConfig_Create) {
        void *const config = python.PyInitConfig_Create();
        return config && python.PyInitConfig_SetStr(config, "program_name", program.c_str()) == 0 &&
               python.PyInitConfig_SetInt(config, "isolated", 0) == 0 &&
               python.PyInitConfig_SetInt(config, "use_environment", 0) == 0 &&
               python.PyInitConfig_SetInt(config, "user_site_directory", user_packages) == 0 &&
               python.PyInitConfig_SetInt(config, "site_import", 0) == 0 &&
               python.PyInitConfig_SetInt(config, "install_signal_handlers", 0) == 0 &&
               python.Py_InitializeFromInitConfig(config) == 0;
    }
    // Python keeps a pointer to the name.
    wchar_t *const name = python.Py_DecodeLocale(program.c_str(), nullptr);
    if (!name) return false;
    python.Py_SetProgramName(name);
    *python.Py_IgnoreEnvironmentFlag = 1;
    *python.Py_NoUserSiteDirectory = !user_packages;
    *python.Py_NoSiteFlag = 1;
    python.Py_InitializeEx(0);
    return true;
}

// Makes packages importable: those on PYTHONPATH first, then, as the module `site` does, those
// installed for the interpreter and those of the user. Only absolute entries of PYTHONPATH count;
// Python itself would also take an empty entry for the working directory. This is not part of the
// interpreter's start, where a package's failing start-up file would end the process.
bool add_packages() {
    void *const path = python.PySys_GetObject("path");  // borrowed reference
    const char *const set = getenv("PYTHONPATH");
    const std::string entries = set ? set : "";
    ptrdiff_t position = 0;
    for (size_t at = 0; path && at < entries.size();) {
        const size_t end = std::min(entries.find(':', at), entries.size());
        if (entries[at] == '/') {
            const Object entry(
                python.PyUnicode_DecodeFSDefaultAndSize(&entries[at], ptrdiff_t(end - at)));
            if (!entry.get() || python.PyList_Insert(path, position++, entry.get()) != 0)
                return false;
        }
        at = end + 1;
    }
    const Object site(python.PyImport_ImportModule("site"));
    const Object main(site.get() ? python.PyObject_GetAttrString(site.get(), "main") : nullptr);
    const Object done(main.get() ? python.PyObject_CallObject(main.get(), nullptr) : nullptr);
    return done.get() != nullptr;
}

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
        *detail = name + ": " + exception() + kAdvice;
        return false;
    }
    const Object function(python.PyObject_GetAttrString(module_, "start"));
    const Object device(function.get() ? python.PyObject_CallObject(function.get(), nullptr)
                                       : nullptr);
    *detail = device.get() ? text_of(device.get()) : exception();
    return device.get() != nullptr;
}

bool PythonHost::open_interpreter(std::string *name, std::string *reason) {
    // This process is Python already.
    if (!python.load(RTLD_DEFAULT) && python.Py_IsInitialized()) return true;

    const char *const chosen = getenv("GKL_SHIM_PYTHON");
    const bool is_chosen = chosen && *chosen;
    *name = is_chosen ? std::string("GKL_SHIM_PYTHON=") + chosen : kDefault;
    std::string program, answer;
    if (!find_program(is_chosen ? chosen : kDefault, &program, reason)) return false;
    if (!is_chosen) *name = program;
    const char *const command[] = {program.c_str(), "-I", "-S", "-c", kFindLibrary, nullptr};
    Interpreter interpreter;
    if (!output_of(command, kMostAnswer, kSecondsToAnswer, &answer, reason) ||
        !parse(answer, &interpreter, reason))
        return false;
    // RTLD_GLOBAL, because extension modules look up the interpreter's functions there.
    void *library = dlopen(interpreter.library.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (!library) return *reason = dlerror(), false;
    if (const char *missing = python.load(library)) {
        *reason = interpreter.library + " lacks " + missing;
        return false;
    }
    if (!initialize(interpreter.program)) {
        *reason = interpreter.library + " does not start";
        return false;
    }
    const bool added = add_packages();
    if (!added) *reason = exception();
    python.PyEval_SaveThread();
    return added;
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

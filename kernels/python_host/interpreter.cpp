#include "python_host/interpreter.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "python_host/child_process.h"
#include "python_host/python_api.h"
#include "python_host/safe_file.h"

// A JVM loads a copy of this library for each class loader. The copies share this mutex, because
// the dynamic linker gives a process one object of a name whose binding is STB_GNU_UNIQUE. GCC has
// no attribute for that, so the object is written in assembly. glibc's unlocked mutex is all zeros.
extern "C" __attribute__((visibility("default"))) pthread_mutex_t gkl_shim_python_mutex;
static_assert(sizeof(pthread_mutex_t) <= 64, "the mutex is larger than its memory");
__asm__(
    ".pushsection .bss\n"
    ".balign 64\n"
    ".globl gkl_shim_python_mutex\n"
    ".type gkl_shim_python_mutex, %gnu_unique_object\n"
    ".size gkl_shim_python_mutex, 64\n"
    "gkl_shim_python_mutex: .zero 64\n"
    ".popsection");

namespace gkl_shim {
namespace {

const char kDefault[] = "python3";
const char kAdvice[] =
    "; set GKL_SHIM_PYTHON to the absolute path of the Python that has gkl-shim and CuPy";

// Limits on the interpreter's answer. A caller that asks for cuda waits ten seconds in all.
constexpr size_t kMaxAnswer = 8192, kMaxShown = 120;
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

// Makes packages importable: those on PYTHONPATH first, then, as the module `site` does, those
// installed for the interpreter and those of the user. Python itself would also take an empty entry
// of PYTHONPATH for the working directory, and one that every user can change. This is not part of
// the interpreter's start, where a package's failing start-up file would end the process.
const char kAddPackages[] = R"python(
    import os, sys
    paths = os.environ.get("PYTHONPATH", "").split(":")
    paths = [p for p in paths if p.startswith("/") and os.path.exists(p)]
    sys.path[:0] = [p for p in paths if not os.stat(p).st_mode & 0o002]
    import site
    site.main()
)python";

// Opens an algorithm's GPUs. The algorithm, this version and the GPUs are written into it. A
// Python program that ends meanwhile waits, because up to version 3.13 Python ends a thread that
// asks for the GIL after that, which ends the process with SIGABRT.
const char kOpen[] = R"python(
    import atexit, threading
    done = threading.Event()
    atexit.register(done.wait, 10)
    try:
        from gkl_shim.cuda import opened_by_library
        opened = opened_by_library.opened(
            "ALGORITHM", ")python" GKL_SHIM_VERSION R"python(", "DEVICES"
        )
    finally:
        done.set()
)python";

void replace(std::string *text, const std::string &word, const char *by) {
    text->replace(text->find(word), word.size(), by);
}

// The host's handler of SIGINT, which Python replaces when its module `signal` is imported, unless
// the host has set one.
class InterruptHandlerGuard {
   public:
    InterruptHandlerGuard() { sigaction(SIGINT, nullptr, &before_); }
    ~InterruptHandlerGuard() { sigaction(SIGINT, &before_, nullptr); }

   private:
    struct sigaction before_;
};

// Only one thread of the process, in whichever copy of this library, finds and starts Python.
class OnlyThread {
   public:
    OnlyThread() { pthread_mutex_lock(&gkl_shim_python_mutex); }
    ~OnlyThread() { pthread_mutex_unlock(&gkl_shim_python_mutex); }
    OnlyThread(const OnlyThread &) = delete;
};

// What the interpreter printed about itself.
struct Interpreter {
    std::string library, program;
};

// Removes the last line of a text, and returns it.
std::string pop_last_line(std::string *text) {
    if (!text->empty() && text->back() == '\n') text->pop_back();
    const size_t begin = text->rfind('\n') + 1;
    const std::string line = text->substr(begin);
    text->erase(begin);
    return line;
}

// Checks an answer before anything in it is used. Returns false and sets *reason if it is refused.
bool parse(std::string answer, Interpreter *interpreter, std::string *reason) {
    if (answer.empty()) return *reason = "it printed nothing", false;
    interpreter->program = pop_last_line(&answer);
    interpreter->library = pop_last_line(&answer);
    const std::string name = interpreter->library.substr(interpreter->library.rfind('/') + 1);
    std::string fault;
    if (name.compare(0, 9, "libpython") != 0 || name.find(".so") == std::string::npos)
        *reason =
            "it printed no path of a Python library: " + interpreter->program.substr(0, kMaxShown);
    else if (!is_safe_file(interpreter->library, &fault))
        *reason = "its library " + interpreter->library + " cannot be used: " + fault;
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
// variables, in any version, because one of them could lead it to the working directory.
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

// Loads Python's functions, and starts Python if this process has none. Sets *name to what is used.
// Returns false and sets *reason if there is no Python that can be used.
bool start_python(std::string *name, std::string *reason) {
    const char *const chosen = getenv("GKL_SHIM_PYTHON");
    const bool is_chosen = chosen && *chosen;
    *name = is_chosen ? std::string("GKL_SHIM_PYTHON=") + chosen : kDefault;
    std::string program;
    if (!find_program(is_chosen ? chosen : kDefault, &program, reason)) return false;
    if (!is_chosen) *name = program;
    const char *const command[] = {program.c_str(), "-I", "-S", "-c", kFindLibrary, nullptr};
    std::string answer;
    Interpreter interpreter;
    if (!output_of(command, kMaxAnswer, kSecondsToAnswer, &answer, reason) ||
        !parse(answer, &interpreter, reason))
        return false;
    // RTLD_GLOBAL, because extension modules look up the interpreter's functions there.
    void *const library = dlopen(interpreter.library.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (!library) return *reason = dlerror(), false;
    if (const char *missing = python.load(library)) {
        *reason = interpreter.library + " lacks " + missing;
        return false;
    }
    if (!initialize(interpreter.program)) {
        *reason = interpreter.library + " does not start";
        return false;
    }
    python.PyEval_SaveThread();
    return true;
}

}  // namespace

const gkl_shim_opened *open_in_python(const char *algorithm, const char *devices,
                                      std::string *reason) {
    const OnlyThread only;
    const InterruptHandlerGuard guard;
    std::string name = "this process";
    // Python runs this process, or an earlier call has started it.
    const bool is_python = !python.load(RTLD_DEFAULT) && python.Py_IsInitialized();
    const void *opened = nullptr;
    if (is_python || start_python(&name, reason)) {
        std::string code = is_python ? kOpen : std::string(kAddPackages) + kOpen;
        replace(&code, "ALGORITHM", algorithm);
        replace(&code, "DEVICES", devices);
        const PythonLock lock;
        opened = run_in_python(code, "opened", reason);
    }
    if (!opened) *reason = name + ": " + *reason + kAdvice;
    return static_cast<const gkl_shim_opened *>(opened);
}

}  // namespace gkl_shim

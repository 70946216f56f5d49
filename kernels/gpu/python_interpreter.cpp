#include "gpu/python_interpreter.h"

#include <dlfcn.h>
#include <stdlib.h>

#include <algorithm>

#include "common/child_process.h"
#include "common/printable.h"
#include "common/safe_file.h"
#include "gpu/python_api.h"

namespace gkl_shim {
namespace {

const char kDefault[] = "python3";

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
            const PythonObject entry(
                python.PyUnicode_DecodeFSDefaultAndSize(&entries[at], ptrdiff_t(end - at)));
            if (!entry.get() || python.PyList_Insert(path, position++, entry.get()) != 0)
                return false;
        }
        at = end + 1;
    }
    const PythonObject site(python.PyImport_ImportModule("site"));
    const PythonObject main(site.get() ? python.PyObject_GetAttrString(site.get(), "main")
                                       : nullptr);
    const PythonObject done(main.get() ? python.PyObject_CallObject(main.get(), nullptr) : nullptr);
    return done.get() != nullptr;
}

}  // namespace

bool open_interpreter(std::string *name, std::string *reason) {
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
    if (!added) *reason = python_exception();
    python.PyEval_SaveThread();
    return added;
}

}  // namespace gkl_shim

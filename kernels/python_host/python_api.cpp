#include "python_host/python_api.h"

#include <dlfcn.h>

namespace gkl_shim {

Python python;

const char *Python::load(void *library) {
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
    REQUIRED(Py_CompileString);
    REQUIRED(PyEval_EvalCode);
    REQUIRED(PyDict_New);
    REQUIRED(PyDict_GetItemString);
    REQUIRED(PyUnicode_AsUTF8AndSize);
    REQUIRED(PyLong_AsVoidPtr);
    REQUIRED(PyErr_Clear);
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

const void *run_in_python(const std::string &statements, const char *result, std::string *reason) {
    constexpr int kFileInput = 257;  // Py_file_input: statements, not an expression
    const std::string text = "try:\n" + statements +
                             "\n    reason = ''\n"
                             "except BaseException as error:\n"
                             "    reason = ' '.join(str(error).split()) or type(error).__name__\n";
    void *const variables = python.PyDict_New();
    void *const code = python.Py_CompileString(text.c_str(), "gkl-shim", kFileInput);
    void *const done =
        variables && code ? python.PyEval_EvalCode(code, variables, variables) : nullptr;
    const auto variable = [&](const char *name) {  // a borrowed reference
        return done ? python.PyDict_GetItemString(variables, name) : nullptr;
    };
    void *const error = variable("reason");
    const char *const said = error ? python.PyUnicode_AsUTF8AndSize(error, nullptr) : nullptr;
    *reason = said ? said : "Python is out of memory";
    void *const address = reason->empty() ? variable(result) : nullptr;
    const void *const found = address ? python.PyLong_AsVoidPtr(address) : nullptr;
    python.PyErr_Clear();
    for (void *object : {done, code, variables})
        if (object) python.Py_DecRef(object);
    return found;
}

}  // namespace gkl_shim

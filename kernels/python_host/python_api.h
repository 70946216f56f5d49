// The functions of CPython that this library uses, without Python's headers: objects are void
// pointers. All builds of Python from 3.10 on export them; those for initialization depend on the
// version.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <string>

namespace gkl_shim {

struct Python {
    int (*Py_IsInitialized)();
    void (*Py_InitializeEx)(int);
    int (*PyGILState_Ensure)();
    void (*PyGILState_Release)(int);
    void *(*PyEval_SaveThread)();
    wchar_t *(*Py_DecodeLocale)(const char *, size_t *);
    void *(*Py_CompileString)(const char *, const char *, int);
    void *(*PyEval_EvalCode)(void *, void *, void *);
    void *(*PyDict_New)();
    void *(*PyDict_GetItemString)(void *, const char *);
    const char *(*PyUnicode_AsUTF8AndSize)(void *, ptrdiff_t *);
    void *(*PyLong_AsVoidPtr)(void *);
    void (*PyErr_Clear)();
    void (*Py_DecRef)(void *);

    // For initialization up to Python 3.13.
    void (*Py_SetProgramName)(const wchar_t *);
    int *Py_IgnoreEnvironmentFlag;
    int *Py_NoUserSiteDirectory;
    int *Py_NoSiteFlag;

    // For initialization from Python 3.14 on.
    void *(*PyInitConfig_Create)();
    int (*PyInitConfig_SetStr)(void *, const char *, const char *);
    int (*PyInitConfig_SetInt)(void *, const char *, int64_t);
    int (*Py_InitializeFromInitConfig)(void *);

    // Looks up the functions. `library` may be RTLD_DEFAULT. Returns the name of a missing one, or
    // null.
    const char *load(void *library);
};

// Python's functions in this process, once they are loaded.
extern Python python;

// The GIL, held by any thread, even one that Python has never seen.
class PythonLock {
   public:
    PythonLock() : state_(python.PyGILState_Ensure()) {}
    ~PythonLock() { python.PyGILState_Release(state_); }
    PythonLock(const PythonLock &) = delete;

   private:
    const int state_;
};

// Runs statements, which are indented, and returns the address that they put into the variable
// `result`. Returns null and sets *reason if they raise an exception. The GIL must be held.
const void *run_in_python(const std::string &statements, const char *result, std::string *reason);

}  // namespace gkl_shim

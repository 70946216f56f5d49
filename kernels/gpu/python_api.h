// The part of CPython's stable ABI that this library uses, without Python's headers: objects are
// void pointers. All builds of Python from 3.10 on have these functions.
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

    // Looks up the functions. `library` may be RTLD_DEFAULT. Returns the name of a missing one, or
    // null.
    const char *load(void *library);
};

// Python's functions in this process, once they are loaded.
extern Python python;

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
class PythonObject {
   public:
    explicit PythonObject(void *object) : object_(object) {}
    ~PythonObject() {
        if (object_) python.Py_DecRef(object_);
    }
    PythonObject(const PythonObject &) = delete;
    void *get() const { return object_; }

   private:
    void *object_;
};

// The text of a str object; empty for null.
std::string python_text(void *object);

// Clears the pending exception. Returns its message on one line, or its type if it has no message.
std::string python_exception();

}  // namespace gkl_shim

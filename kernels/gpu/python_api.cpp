#include "gpu/python_api.h"

#include <dlfcn.h>

#include <algorithm>

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

std::string python_text(void *object) {
    const char *text = object ? python.PyUnicode_AsUTF8AndSize(object, nullptr) : nullptr;
    return text ? text : "";
}

std::string python_exception() {
    void *type = nullptr, *value = nullptr, *traceback = nullptr;
    python.PyErr_Fetch(&type, &value, &traceback);
    const PythonObject held_type(type), held_value(value), held_traceback(traceback);
    const PythonObject message(value ? python.PyObject_Str(value) : nullptr);
    std::string text = python_text(message.get());
    if (text.empty() && type) {
        const PythonObject name(python.PyObject_GetAttrString(type, "__name__"));
        text = python_text(name.get());
    }
    // Clears an exception raised while the message was being built.
    python.PyErr_Fetch(&type, &value, &traceback);
    const PythonObject other_type(type), other_value(value), other_traceback(traceback);
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
}

}  // namespace gkl_shim

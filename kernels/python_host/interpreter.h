// The Python of this process: the one that runs it, or one that is found and started inside it.
//
// The program that GKL_SHIM_PYTHON names, or the python3 on the PATH, is run to ask for the path of
// its shared library. The answer is checked (safe_file.h), and the library loaded. One build of
// ours works with every Python from 3.10 on, because it uses only what all builds of a version
// export.
//
// This code loads nothing from the working directory. Only absolute entries of PATH count, and
// those of PYTHONPATH that not every user can change. Of Python's other environment variables only
// PYTHONNOUSERSITE and PYTHONUSERBASE are read. The host's signal handlers stay in place.
#pragma once

#include <string>

#include "gkl_shim_internal.h"

namespace gkl_shim {

// Opens the GPUs of an algorithm in Python. `devices`: their numbers, separated by commas; "":
// those of the setting, or all. The result is valid until the process ends. Returns null and sets
// *reason on failure. Any thread may call it. Calls wait for each other, also those of other copies
// of this library in the process.
const gkl_shim_opened *open_in_python(const char *algorithm, const char *devices,
                                      std::string *reason);

}  // namespace gkl_shim

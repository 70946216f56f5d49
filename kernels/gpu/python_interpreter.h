// The Python of this process: the one that runs it, or one that is found and started inside it.
#pragma once

#include <string>

namespace gkl_shim {

// Loads Python's functions (python_api.h), and starts Python if this process has none. Sets *name
// to what is used, for messages. Returns false and sets *reason if there is no Python that can be
// used.
bool open_interpreter(std::string *name, std::string *reason);

}  // namespace gkl_shim

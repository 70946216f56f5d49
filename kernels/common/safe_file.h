// Decides which programs may be run and which libraries may be loaded.
//
// A relative name is refused: it would be looked up in the working directory, where others may have
// put a file. A world-writable file is refused, and so is a file below a world-writable folder,
// where it can be replaced. A folder with the sticky bit, such as /tmp, is accepted if it and the
// entry in it belong to the user or root. Links are followed one by one by the same rules. The
// user's groups are trusted.
#pragma once

#include <string>

namespace gkl_shim {

// Whether a file may be run or loaded. If not, stores the reason, worded to follow the file's name.
bool is_safe_file(const std::string &path, std::string *reason);

// The path of a program: `name` itself where it has a slash, else looked up in the absolute entries
// of PATH. False, with the reason, where there is none that may be run.
bool find_program(const std::string &name, std::string *path, std::string *reason);

}  // namespace gkl_shim

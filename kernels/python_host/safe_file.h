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

// Whether a file may be run or loaded. If not, stores the reason, which follows the file's name.
bool is_safe_file(const std::string &path, std::string *reason);

// Finds a program: `name` itself if it has a slash, otherwise in the absolute entries of PATH.
// Returns false, with the reason, if there is none that may be run.
bool find_program(const std::string &name, std::string *path, std::string *reason);

}  // namespace gkl_shim

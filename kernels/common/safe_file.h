// Which programs may be run and which libraries loaded: only those that a user has put in place.
//
// A relative name is refused: it would be looked up in the working directory, where others may have
// left something. So is a file that everybody may write to, and a file below a folder that
// everybody may write to, since there it can be replaced. A folder with the sticky bit, as /tmp, is
// fine where it and what it holds belong to the user or root. Links are followed one by one by the
// same rules. The user's groups are trusted.
#pragma once

#include <string>

namespace gkl_shim {

// Whether a file may be run or loaded; where not, says why in words that follow its name.
bool is_safe_file(const std::string &path, std::string *reason);

// The path of a program: `name` itself where it has a slash, else looked up in the absolute entries
// of PATH. False, with the reason, where there is none that may be run.
bool find_program(const std::string &name, std::string *path, std::string *reason);

}  // namespace gkl_shim

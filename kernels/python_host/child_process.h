// Runs another program and returns its output, with limits on time and size.
#pragma once

#include <stddef.h>

#include <string>

namespace gkl_shim {

// Runs a command, whose first word is an absolute path, and stores what it prints, also on standard
// error. Returns false and a reason if it does not start, prints more than `most_bytes` or does not
// close its output within `seconds`. The program and all processes of its process group are killed
// when this returns, and when this process calls exit(). They live on if this process is killed.
bool output_of(const char *const *command, size_t most_bytes, double seconds, std::string *text,
               std::string *reason);

}  // namespace gkl_shim

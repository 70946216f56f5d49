// Runs another program and takes what it prints, within bounds of time and size.
#pragma once

#include <stddef.h>

#include <string>

namespace gkl_shim {

// Runs a command, whose first word is an absolute path, until it ends, and returns what it has
// printed on standard output. False where it fails, prints more than `most_bytes` or takes longer
// than `seconds`, with the reason: the last line of what it said on standard error, or our words.
// The program and what it has started are ended with it, and when this process ends.
bool output_of(const char *const *command, size_t most_bytes, double seconds, std::string *text,
               std::string *reason);

}  // namespace gkl_shim

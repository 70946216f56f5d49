// The log lines that we write to standard error, and helpers for their text.
#pragma once

#include <stdint.h>

#include <string>

namespace gkl_shim::jni {

// Writes one line in a single write, so that lines of several threads do not mix.
void log_line(const std::string &text);
void log_warning(const std::string &text);

std::string format(const char *pattern, ...) __attribute__((format(printf, 1, 2)));

// "1 region", "2 regions".
std::string plural(int64_t count, const char *noun);

// Runs work() and drops its exceptions, such as std::bad_alloc, where no caller can handle them.
template <class Work>
void quietly(Work work) noexcept {
    try {
        work();
    } catch (...) {
    }
}

}  // namespace gkl_shim::jni

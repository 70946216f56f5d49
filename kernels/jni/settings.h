// What a user sets by system property or environment, and the lines that we write to stderr.
#pragma once

#include <jni.h>
#include <stdint.h>

#include <string>
#include <vector>

#include "gkl_shim.h"

namespace gkl_shim {
namespace jni {

enum class LogLevel { kQuiet, kInfo, kDebug };

// Each setting is the system property gkl.shim.<name>, or else the environment variable
// GKL_SHIM_<NAME>. What cannot be followed is left at its default and says so in `warnings`.
struct Settings {
    bool off = false;                // GKL_SHIM_BACKEND=off
    int32_t backend = GKL_SHIM_CPU;  // GKL_SHIM_BACKEND=auto, cpu or cuda
    int32_t threads = 0;             // GKL_SHIM_THREADS; 0: as many as GATK asks for
    std::string build;               // GKL_SHIM_BUILD; empty: the best for this CPU
    std::string record;              // GKL_SHIM_RECORD, a file; empty: none
    int64_t verify = 0;              // GKL_SHIM_VERIFY: every so many regions; 0: none
    LogLevel log = LogLevel::kInfo;  // GKL_SHIM_LOG
    std::vector<std::string> warnings;

    // A pending Java exception (a security manager's, for one) is cleared.
    static Settings read(JNIEnv *env);
};

// One line on stderr, written whole so that lines of several threads do not mix.
void log_line(const std::string &text);
void log_warning(const std::string &text);

#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
std::string
format(const char *pattern, ...);

}  // namespace jni
}  // namespace gkl_shim

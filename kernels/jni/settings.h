// What a user sets by system property or environment variable.
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
// GKL_SHIM_<NAME>. One that cannot be followed keeps its default, and `warnings` says so.
struct Settings {
    bool off = false;                // GKL_SHIM_BACKEND=off
    int32_t backend = GKL_SHIM_CPU;  // GKL_SHIM_BACKEND=auto, cpu or cuda
    int32_t threads = 0;             // GKL_SHIM_THREADS; 0: as many as GATK asks for
    std::string build;               // GKL_SHIM_BUILD; empty: the best for this CPU
    std::string record;              // GKL_SHIM_RECORD, a file; empty: none
    int64_t verify = 0;              // GKL_SHIM_VERIFY: verify every Nth region; 0: none
    LogLevel log = LogLevel::kInfo;  // GKL_SHIM_LOG
    std::vector<std::string> warnings;
};

// Reads the process's settings. A pending Java exception (a security manager's, for one) is
// cleared.
void read_settings(JNIEnv *env);

const Settings &settings();

// Writes the warnings to the log. The first call for the process does; later ones do nothing.
void log_setting_warnings();

}  // namespace jni
}  // namespace gkl_shim

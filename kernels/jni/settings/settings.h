// Settings that a user makes by system property or environment variable.
#pragma once

#include <jni.h>

#include <string>
#include <vector>

#include "gkl_shim.h"

namespace gkl_shim::jni {

enum class LogLevel { kQuiet, kInfo, kDebug };

// Each setting is read from a system property such as gkl.shim.backend, otherwise from the
// environment variable. An invalid value leaves the default, and `warnings` says so.
struct Settings {
    bool off = false;                // GKL_SHIM_BACKEND=off
    int32_t backend = GKL_SHIM_CPU;  // GKL_SHIM_BACKEND=auto, cpu or cuda
    int32_t threads = 0;             // GKL_SHIM_THREADS; 0: what GATK asks for
    std::string build;               // GKL_SHIM_BUILD; empty: the best one for this CPU
    std::string record;              // GKL_SHIM_RECORD, a file name; empty: none
    // GKL_SHIM_RECORD_SMITHWATERMAN, likewise
    std::string record_smithwaterman;
    int64_t verify = 0;              // GKL_SHIM_VERIFY: verify every Nth call; 0: none
    LogLevel log = LogLevel::kInfo;  // GKL_SHIM_LOG
    std::vector<std::string> warnings;
};

// Reads the settings of the process. Clears a pending Java exception, such as one of a security
// manager.
void read_settings(JNIEnv *env);

const Settings &settings();

// The build that the user has chosen, for the options of a handle; null: the best one.
const char *chosen_build();

// What the log says of a build: "avx2 build (the best for this CPU)".
std::string build_text(const std::string &build);

// Logs the warnings. Only the first call of the process does.
void log_setting_warnings();

}  // namespace gkl_shim::jni

// Writes the file that a setting such as GKL_SHIM_RECORD names, one record after another.
#pragma once

#include <stdint.h>

#include <atomic>
#include <mutex>
#include <string>

#include "jni/settings/log.h"
#include "output_file.h"

namespace gkl_shim::jni {

// If a record cannot be written, warns once and ends the recording, but not the run.
class Recorder {
   public:
    // `setting` is the variable that names the file, for warnings.
    Recorder(std::string file, const char *setting) : name_(std::move(file)), setting_(setting) {}

    // A later recording may have the same file.
    ~Recorder();
    Recorder(const Recorder &) = delete;

    // Returns false, after the warning, if the file cannot be written.
    bool open();

    bool recording() const { return recording_; }

    // Adds a record. Records of several threads do not mix. Returns false if the recording has
    // failed.
    bool add(const std::string &record);

    // Renames the file if it holds a record. Returns the number of records, or -1 if the recording
    // has failed.
    int64_t finish();

    const std::string &name() const { return name_; }

   private:
    bool flush();
    void fail(const std::string &reason);

    const std::string name_;
    const char *const setting_;
    std::string path_;  // the file without links; empty if there is none
    std::atomic<bool> recording_{false};
    std::mutex mutex_;
    OutputFile file_;
    std::string pending_;
    int64_t records_ = 0;
};

// Runs record(), which records the call with this number, such as region 7 of PairHMM. The caller
// has the results already, so a failure is only a warning.
template <class Record>
void without_failing(const char *title, const char *call, int64_t number, Record record) noexcept {
    try {
        record();
    } catch (...) {
        quietly([&] {
            log_warning(format("%s: %s %lld is computed, but not recorded: out of memory", title,
                               call, (long long)number));
        });
    }
}

}  // namespace gkl_shim::jni

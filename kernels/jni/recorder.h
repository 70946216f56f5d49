// Writes the file that GKL_SHIM_RECORD names: records, one after the other.
#pragma once

#include <stdint.h>

#include <atomic>
#include <mutex>
#include <string>

#include "output_file.h"

namespace gkl_shim {
namespace jni {

// A record that cannot be written is one warning and the end of the recording, not of the run.
class Recorder {
   public:
    explicit Recorder(std::string file) : name_(std::move(file)) {}

    // False, after the warning, where the file cannot be written.
    bool open();

    bool recording() const { return recording_; }

    // Adds a record. Those of several threads follow each other whole. False where the recording
    // has failed.
    bool add(const std::string &record);

    // Gives the file its name, if it holds a record. Returns the number of records, or -1 where the
    // recording has failed.
    int64_t finish();

    const std::string &name() const { return name_; }

   private:
    bool flush();
    void fail(const std::string &reason);

    const std::string name_;
    std::atomic<bool> recording_{false};
    std::mutex mutex_;
    OutputFile file_;
    std::string pending_;
    int64_t records_ = 0;
};

}  // namespace jni
}  // namespace gkl_shim

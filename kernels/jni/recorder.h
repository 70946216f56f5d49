// GKL_SHIM_RECORD: writes every region to a file, in the .in format.
#pragma once

#include <stdint.h>

#include <atomic>
#include <mutex>
#include <string>

#include "gkl_shim.h"
#include "output_file.h"

namespace gkl_shim {
namespace jni {

// A record is a line `R H`, R lines `bases quals insertion deletion continuation` with qualities as
// Phred+33, and H lines of haplotype bases. Bases are as the engine uses them: what is not one of
// ACGTN is an A. Qualities are taken modulo 128, and what is above 93, the most that Phred+33 can
// print, is written as 93.
//
// What cannot be written is one warning and the end of the recording, not of the run.
class Recorder {
   public:
    explicit Recorder(std::string file) : name_(std::move(file)) {}

    // False, after the warning, where the file cannot be written.
    bool open();

    // Regions of several threads follow each other whole. `scratch` is the caller's, reused.
    void add(const gkl_shim_pairhmm_batch &region, std::string *scratch);

    // Gives the file its name, if it holds a region. Returns how many, or -1 where the recording
    // has failed.
    int64_t finish();

    const std::string &name() const { return name_; }
    int64_t capped() const { return capped_; }

   private:
    bool flush();
    void fail(const std::string &reason);

    const std::string name_;
    std::atomic<bool> recording_{false};
    std::mutex mutex_;
    OutputFile file_;
    std::string pending_;
    int64_t regions_ = 0, capped_ = 0;
};

}  // namespace jni
}  // namespace gkl_shim

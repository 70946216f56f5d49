// GKL_SHIM_RECORD: writes every region to a file, in the .in format.
#pragma once

#include <stdint.h>

#include <mutex>
#include <string>

#include "gkl_shim.h"

namespace gkl_shim {
namespace jni {

// A record is a line `R H`, R lines `bases quals insertion deletion continuation` with qualities as
// Phred+33, and H lines of haplotype bases. Bases are as the engine uses them: what is not one of
// ACGTN is an A. Qualities are taken modulo 128, and what is above 93, the most that Phred+33 can
// print, is written as 93.
//
// Regions go to <file>.<process>.partial, which takes the file's name at the end, so that a file of
// that name is always whole. A file that cannot be written is one warning and the end of the
// recording, not of the run.
class Recorder {
   public:
    explicit Recorder(std::string file) : file_(std::move(file)) {}

    // Regions of several threads follow each other whole. `scratch` is the caller's, reused.
    void add(const gkl_shim_pairhmm_batch &region, std::string *scratch);

    // Gives the file its name. Returns how many regions it holds, or -1 where there is none.
    int64_t finish();

    const std::string &file() const { return file_; }
    int64_t capped() const { return capped_; }

   private:
    bool open();
    bool flush();
    void fail(const char *what);

    const std::string file_;
    std::mutex mutex_;
    std::string partial_, pending_;
    int descriptor_ = -1;
    int64_t regions_ = 0, capped_ = 0;
    bool closed_ = false;
};

}  // namespace jni
}  // namespace gkl_shim

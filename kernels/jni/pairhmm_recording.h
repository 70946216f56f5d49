// GKL_SHIM_RECORD for PairHMM: writes every region in the .in format.
#pragma once

#include <stdint.h>

#include <atomic>
#include <string>

#include "gkl_shim.h"
#include "recorder.h"

namespace gkl_shim {
namespace jni {

// A record is a line `R H`, R lines `bases quals insertion deletion continuation` with qualities as
// Phred+33, and H lines of haplotype bases. Bases are as the engine uses them: what is not one of
// ACGTN is an A. Qualities are taken modulo 128, and those above 93, the most that Phred+33 can
// print, are written as 93.
class PairHmmRecording {
   public:
    explicit PairHmmRecording(const std::string &file) : recorder_(file) {}

    // False, after a warning, where the file cannot be written.
    bool open() { return recorder_.open(); }

    // `scratch` is the caller's, reused.
    void add(const gkl_shim_pairhmm_batch &region, std::string *scratch);

    // Completes the file. Returns the closing line, "" where the recording has failed.
    std::string finish();

    const std::string &name() const { return recorder_.name(); }

   private:
    Recorder recorder_;
    std::atomic<int64_t> capped_{0};
};

}  // namespace jni
}  // namespace gkl_shim

// GKL_SHIM_RECORD for PairHMM and PDHMM: writes every region in the .in format.
#pragma once

#include <stdint.h>

#include <atomic>
#include <string>

#include "gkl_shim.h"
#include "recorder.h"

namespace gkl_shim {
namespace jni {

// A region is a line `R H`, R lines `bases quals insertion deletion continuation` with qualities as
// Phred+33, and H lines of haplotype bases. PDHMM's have a second field: two hexadecimal digits of
// flags a base. Bases are recorded as PairHMM's engine uses them: any byte other than ACGTN becomes
// A. Qualities above 93, the highest that Phred+33 can print, become 93. The closing line says how
// many.
class RegionRecording {
   public:
    explicit RegionRecording(const std::string &file) : recorder_(file) {}

    // Returns false, after a warning, if the file cannot be written.
    bool open() { return recorder_.open(); }

    // `haplotype_flags` is null for PairHMM. `scratch` is the caller's buffer, reused between
    // calls.
    void add(const gkl_shim_pairhmm_batch &region, const uint8_t *haplotype_flags,
             std::string *scratch);

    // Completes the file. Returns the closing line, or "" if the recording has failed.
    std::string finish();

    const std::string &name() const { return recorder_.name(); }

   private:
    Recorder recorder_;
    std::atomic<int64_t> capped_{0};
};

}  // namespace jni
}  // namespace gkl_shim

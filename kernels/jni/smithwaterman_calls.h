// Smith-Waterman for Java classes. Keeps the handle, aligns, and accounts for the calls in totals
// and the log's first and last lines.
#pragma once

#include <stdint.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "closing_log.h"
#include "gkl_shim.h"
#include "recorder.h"
#include "verification.h"

namespace gkl_shim {
namespace jni {

class SmithWatermanCalls {
   public:
    // The only instance of the process. Never destroyed: Java threads may still compute while the
    // process ends.
    static SmithWatermanCalls &get();

    // Logs what has been replaced and how, such as "Intel GKL replaced (agent)". Only the first
    // call does. Later alignments are accounted for; those before are the self-test's.
    void announce(const std::string &replaced);

    // Aligns one pair. Throws JavaError.
    void align(const gkl_shim_smithwaterman_batch &pair,
               const gkl_shim_smithwaterman_parameters &parameters, int64_t *offset,
               int64_t *cigar_offsets, char *cigar, int64_t size);

    // Counts, records and verifies an alignment that took `seconds` as seen by Java.
    void account(const gkl_shim_smithwaterman_batch &pair,
                 const gkl_shim_smithwaterman_parameters &parameters, int64_t offset,
                 const char *cigar, int64_t length, double seconds);

    // Writes the closing line to the log.
    void report();

   private:
    gkl_shim_smithwaterman *handle();

    // Aligns once more with Java's arithmetic, and returns how the alignments differ, or "". Throws
    // JavaError.
    std::string difference(const gkl_shim_smithwaterman_batch &pair,
                           const gkl_shim_smithwaterman_parameters &parameters, int64_t offset,
                           const std::string &cigar);

    std::mutex mutex_;
    std::atomic<gkl_shim_smithwaterman *> handle_{nullptr};
    std::atomic<bool> announced_{false};
    CallTotals totals_;
    std::unique_ptr<Recorder> recorder_;  // null if there is no recording
    Verification verification_{"Smith-Waterman", "alignment", "GKL_SHIM_SMITHWATERMAN"};
};

}  // namespace jni
}  // namespace gkl_shim

// Smith-Waterman for Java classes.
#pragma once

#include <string>

#include "calls.h"
#include "gkl_shim.h"
#include "handle_cache.h"

namespace gkl_shim::jni {

class SmithWatermanCalls {
   public:
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

   private:
    SmithWatermanCalls();
    gkl_shim_smithwaterman *handle();

    // Aligns once more with Java's arithmetic, and returns how the alignments differ, or "". Throws
    // JavaError.
    std::string difference(const gkl_shim_smithwaterman_batch &pair,
                           const gkl_shim_smithwaterman_parameters &parameters, int64_t offset,
                           const std::string &cigar);

    Calls calls_;
    HandleCache<gkl_shim_smithwaterman> handles_{1};
};

}  // namespace gkl_shim::jni

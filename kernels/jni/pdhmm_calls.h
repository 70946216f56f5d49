// PDHMM for our Java classes. Keeps handles, computes regions, and accounts for them in totals, a
// recording and the log's lines.
#pragma once

#include <stdint.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "closing_log.h"
#include "gkl_shim.h"
#include "region_recording.h"
#include "verification.h"

namespace gkl_shim {
namespace jni {

class PdhmmCalls {
   public:
    // The only instance of the process. Never destroyed: Java threads may still compute while the
    // process ends.
    static PdhmmCalls &get();

    // Returns the number of threads to compute with, at least 1. `threads` is what GATK asks for.
    //
    // `replaced` says what has been replaced and how. The first call with it is announced in the
    // log, and later regions are accounted for. Null means the self-test. Throws JavaError.
    int initialize(int threads, const char *replaced);

    // Computes one region. Throws JavaError.
    void compute(int threads, const gkl_shim_pdhmm_batch &region, double *likelihoods);

    // Accounts for a region, which took `seconds` as seen by Java. Verifies it if asked to.
    void account(int threads, const gkl_shim_pdhmm_batch &region, const double *likelihoods,
                 double seconds);

    // Writes the closing lines to the log.
    void report();

   private:
    PdhmmCalls();
    gkl_shim_pdhmm *handle(int threads);
    // The handle in a slot, which is opened on first use and never closed.
    gkl_shim_pdhmm *opened(std::atomic<gkl_shim_pdhmm *> *slot, int threads, const char *build);
    void announce(int threads, int asked, const char *replaced);

    const int cpus_;
    // One for each number of threads.
    std::vector<std::atomic<gkl_shim_pdhmm *>> handles_;
    std::mutex opening_, announcing_;
    std::atomic<bool> announced_{false};
    CallTotals totals_;
    std::unique_ptr<RegionRecording> recording_;  // null if there is no recording
    // Its results come from the portable build, which has the same bits.
    std::atomic<gkl_shim_pdhmm *> reference_{nullptr};
    LikelihoodVerification verification_{"PDHMM", "GKL_SHIM_PDHMM", 0};
};

}  // namespace jni
}  // namespace gkl_shim

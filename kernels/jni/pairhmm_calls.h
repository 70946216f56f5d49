// PairHMM for a JVM's classes, Intel's or ours: keeps handles, computes regions, and accounts for
// them: totals, recording, verification, and the first and last lines in the log.
#pragma once

#include <stdint.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "closing_log.h"
#include "gkl_shim.h"
#include "pairhmm_recording.h"
#include "pairhmm_verification.h"

namespace gkl_shim {
namespace jni {

class PairHmmCalls {
   public:
    // The process's own. Never destroyed: Java threads may still compute while the process ends.
    static PairHmmCalls &get();

    // Returns the configuration to compute with, 1 or more. `threads` is what GATK asks for.
    //
    // `replaced` says what has been replaced and how: "Intel GKL replaced (agent)". The first call
    // that has one is announced in the log; regions that are computed from then on are accounted
    // for. Null is the self-test, before anything is replaced. Throws JavaError.
    int initialize(bool double_precision, int threads, const char *replaced);

    // Computes one region. Throws JavaError.
    void compute(int configuration, const gkl_shim_pairhmm_batch &region, double *likelihoods);

    // Accounts for a region that compute() has done and that took `seconds` from Java and back to
    // Java. `scratch` is the calling thread's.
    void account(int configuration, const gkl_shim_pairhmm_batch &region, const double *likelihoods,
                 double seconds, std::string *scratch);

    // Writes the closing lines to the log.
    void report();

    bool accounting() const { return announced_.load(std::memory_order_acquire); }

   private:
    PairHmmCalls();
    // A configuration is one number for a precision and a number of threads.
    int configuration(bool double_precision, int threads) const;
    int threads_of(int configuration) const { return configuration % (cpus_ + 1); }
    bool is_double(int configuration) const { return configuration > cpus_; }

    gkl_shim_pairhmm *open(int configuration, int32_t backend);
    gkl_shim_pairhmm *handle(int configuration);
    void announce(int configuration, int asked, const char *replaced);

    const int cpus_;
    // One for each configuration, opened when first needed and then kept: a caller that is done
    // never disturbs another, and HaplotypeCallerSpark's, which never say so, cost nothing.
    std::vector<std::atomic<gkl_shim_pairhmm *>> handles_;
    std::mutex opening_;

    std::mutex announcing_;
    std::atomic<bool> announced_{false};

    CallTotals totals_;
    std::unique_ptr<PairHmmRecording> recording_;  // null where there is none
    PairHmmVerification verification_;
};

}  // namespace jni
}  // namespace gkl_shim

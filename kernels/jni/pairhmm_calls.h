// PairHMM for Java classes, Intel's or ours. Keeps handles, computes regions, and accounts for them
// in totals, recordings, verification and the log's first and last lines.
#pragma once

#include <jni.h>
#include <stdint.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "closing_log.h"
#include "gkl_shim.h"
#include "pairhmm_verification.h"
#include "region_recording.h"

namespace gkl_shim {
namespace jni {

class PairHmmCalls {
   public:
    // Buffers that a thread reuses for its next region.
    struct Scratch {
        std::vector<double> likelihoods;
        std::string record;
    };

    // The only instance of the process. Never destroyed: Java threads may still compute while the
    // process ends.
    static PairHmmCalls &get();

    // Returns the number of the configuration to compute with, counted from 1. `threads` is what
    // GATK asks for.
    //
    // `replaced` says what has been replaced and how, such as "Intel GKL replaced (agent)". The
    // first call with it is announced in the log, and later regions are accounted for. Null means
    // the self-test, before anything is replaced. Throws JavaError.
    int initialize(bool double_precision, int threads, const char *replaced);

    // Computes one region, copies the results to `likelihoods`, which must have room for them, and
    // accounts for the call, which Java made at `start`. Throws JavaError and JavaPending.
    void compute(JNIEnv *env, int configuration, const gkl_shim_pairhmm_batch &region,
                 jdoubleArray likelihoods, std::chrono::steady_clock::time_point start,
                 Scratch *scratch);

    // Writes the closing lines to the log.
    void report();

   private:
    PairHmmCalls();
    // A number that stands for a precision and a number of threads.
    int configuration(bool double_precision, int threads) const;
    int threads_of(int configuration) const { return configuration % (cpus_ + 1); }
    bool is_double(int configuration) const { return configuration > cpus_; }

    // Whether regions are accounted for.
    bool announced() const { return announced_.load(std::memory_order_acquire); }

    gkl_shim_pairhmm *open(int configuration, int32_t backend);
    gkl_shim_pairhmm *handle(int configuration);
    void compute(int configuration, const gkl_shim_pairhmm_batch &region, double *likelihoods);
    void account(int configuration, const gkl_shim_pairhmm_batch &region, const double *likelihoods,
                 double seconds, std::string *record);
    void announce(int configuration, int asked, const char *replaced);

    const int cpus_;
    // One for each configuration, opened on first use and never closed. So a caller that closes
    // does not disturb others, and HaplotypeCallerSpark, which never calls done(), leaks nothing.
    std::vector<std::atomic<gkl_shim_pairhmm *>> handles_;
    std::mutex opening_;

    std::mutex announcing_;
    std::atomic<bool> announced_{false};

    CallTotals totals_;
    std::unique_ptr<RegionRecording> recording_;  // null if there is no recording
    PairHmmVerification verification_;
};

}  // namespace jni
}  // namespace gkl_shim

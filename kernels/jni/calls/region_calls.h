// Calls from Java that compute a region's likelihoods: PairHMM's and PDHMM's.
#pragma once

#include <jni.h>

#include <atomic>
#include <chrono>
#include <string>

#include "calls.h"
#include "handle_cache.h"
#include "jni/recording/verification.h"
#include "region_kernels.h"

namespace gkl_shim::jni {

// Larger buffers of a thread are freed after use. It has two sets: the input of a region, and its
// results with the text of the recording.
constexpr size_t kKeptRegionBytes = size_t(32) << 20;

constexpr char kNotInitialized[] = "computeLikelihoods was called before initialize";

// Returns why gkl-shim is slower than GATK's own classes on this machine, or null.
const char *slower_because();

// The calls of a kernel. Each caller has a configuration, whose number Java keeps.
template <class Kernel>
class RegionCalls {
   public:
    static RegionCalls &get();

    // Returns the configuration of a self-test. It computes on the CPU, so that it does not wait
    // for a GPU, and its regions are not accounted for. Throws JavaError if gkl-shim is slower on
    // this machine, so that nothing is replaced.
    int initialize_self_test(bool double_precision);
    // Returns the configuration of a caller. `threads` is what GATK asks for. `replaced` says what
    // has been replaced and how, such as "Intel GKL replaced (agent)". The first call is announced
    // in the log. Throws JavaError.
    int initialize(bool double_precision, int threads, const std::string &replaced);

    // Computes one region, copies the results to `likelihoods`, and accounts for the call, which
    // Java made at `start`. Throws JavaError and JavaPending.
    void compute(JNIEnv *env, int configuration, const Region &region, jdoubleArray likelihoods,
                 std::chrono::steady_clock::time_point start);

   private:
    typedef typename Kernel::Handle Handle;

    struct Configuration {
        Handle *handle;
        bool double_precision;
        int threads;
        bool self_test;
    };

    RegionCalls();
    int used_threads(int asked) const;
    int open(bool double_precision, int threads, bool self_test);
    void log_start(bool double_precision, int asked, const std::string &replaced) const;
    void account(const Configuration &configuration, const Region &region,
                 const double *likelihoods, double seconds);
    void record(const Region &region, Recorder *recorder);
    std::string difference(const Configuration &configuration, const Region &region,
                           const double *likelihoods);
    ClosingDetails details();

    const int cpus_;
    Calls calls_;
    // By precision and number of threads. Number 0 of a precision is the self-test's.
    HandleCache<Configuration> configurations_;
    HandleCache<Handle> portable_{1};  // for verification
    std::atomic<int> wanted_threads_{1};
    std::atomic<int64_t> replaced_quals_{0}, replaced_letters_{0};
    LikelihoodDifferences differences_;
};

}  // namespace gkl_shim::jni

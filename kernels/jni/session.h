// What a JVM's PairHMM callers share: handles, statistics, recording and verification.
#pragma once

#include <jni.h>
#include <stdint.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "gkl_shim.h"
#include "recorder.h"
#include "settings.h"

namespace gkl_shim {
namespace jni {

// Becomes the Java exception `type`, a class name with slashes.
struct JavaError : std::runtime_error {
    JavaError(const char *type, const std::string &message)
        : std::runtime_error(message), type(type) {}
    const char *type;
};

// A Java exception is already pending.
struct JavaPending {};

// Throw as JavaPending what the last JNI call has raised.
inline void check(JNIEnv *env) {
    if (env->ExceptionCheck()) throw JavaPending();
}

// Turn the C++ exception now being handled into a pending Java exception. For catch (...).
void raise(JNIEnv *env) noexcept;

class Session {
   public:
    // The process's own. Never destroyed: Java threads may still compute while the process ends.
    static Session &get();

    void configure(const Settings &settings);

    // Return the configuration to compute with. `threads` is what GATK asks for. `swap` says how
    // we came in; the first call that has one is announced in the log, and what is computed from
    // then on is counted, recorded, verified and reported when the process ends. NULL: a trial.
    int initialize(bool double_precision, int threads, const char *swap);

    // Compute one region. Throws JavaError.
    void compute(int configuration, const gkl_shim_pairhmm_batch &region, double *likelihoods);

    // Account for a region that compute() has done and that took `seconds` in all, from our door in
    // and out. `scratch` is the calling thread's.
    void account(int configuration, const gkl_shim_pairhmm_batch &region, const double *likelihoods,
                 double seconds, std::string *scratch);

    bool accounting() const { return announced_.load(std::memory_order_acquire); }

   private:
    Session();
    gkl_shim_pairhmm *open(int configuration, int32_t backend);
    gkl_shim_pairhmm *handle(int configuration);
    void announce(bool double_precision, int asked, int threads, const char *swap);
    void verify(int configuration, const gkl_shim_pairhmm_batch &region, const double *likelihoods);
    void report();

    const int cpus_;
    Settings settings_;
    // One for each precision and number of threads, opened when first needed and then kept: a
    // caller that is done never disturbs another, and those that never say so cost nothing.
    std::vector<std::atomic<gkl_shim_pairhmm *>> handles_;
    std::mutex opening_;
    std::atomic<gkl_shim_pairhmm *> reference_{nullptr};

    std::mutex announcing_;
    std::atomic<bool> announced_{false};
    std::unique_ptr<Recorder> recorder_;

    std::atomic<int64_t> regions_{0}, pairs_{0}, cells_{0}, nanoseconds_{0};
    std::mutex verification_;
    int64_t verified_ = 0;
    double largest_difference_ = 0;
    bool verification_failed_ = false;
};

}  // namespace jni
}  // namespace gkl_shim

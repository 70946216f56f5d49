// Calls from Java that compute a region's likelihoods: PairHMM's and PDHMM's.
#pragma once

#include <jni.h>

#include <atomic>
#include <chrono>
#include <string>

#include "calls.h"
#include "gkl_shim.h"
#include "jni/recording/verification.h"

namespace gkl_shim::jni {

// Larger buffers of a thread are freed after use. It has two sets: the input of a region, and its
// results with the text of the recording.
constexpr size_t kKeptRegionBytes = size_t(32) << 20;

// A region of either algorithm. PairHMM's has no flags: a null pointer.
typedef gkl_shim_pdhmm_batch Region;

inline int64_t pair_count(const Region &region) {
    return region.pairs.region_reads[1] * region.pairs.region_haplotypes[1];
}

class RegionCalls : public Calls {
   public:
    // Returns the number of the configuration to compute with, counted from 1. `threads` is what
    // GATK asks for.
    //
    // `replaced` says what has been replaced and how, such as "Intel GKL replaced (agent)". The
    // first call with it is announced in the log, and later regions are accounted for. Null means
    // the self-test, before anything is replaced. Throws JavaError.
    int initialize(bool double_precision, int threads, const char *replaced);
    // Returns why gkl-shim is slower than GATK's own classes on this machine, or null. The
    // self-test fails for this reason, so that nothing is replaced.
    static const char *slower_because();

    // Computes one region, copies the results to `likelihoods`, which must have room for them, and
    // accounts for the call, which Java made at `start`. Throws JavaError and JavaPending.
    void compute(JNIEnv *env, int configuration, const Region &region, jdoubleArray likelihoods,
                 std::chrono::steady_clock::time_point start);

    // The same for our Java classes, which pass a packed region whose haplotypes have
    // `haplotype_tracks` tracks. `replaced` may be null.
    int initialize(JNIEnv *env, bool double_precision, int threads, jstring replaced);
    void compute(JNIEnv *env, int haplotype_tracks, int configuration, jbyteArray sequences,
                 jintArray lengths, jint reads, jint haplotypes, jdoubleArray likelihoods);

   protected:
    RegionCalls(const CallTexts &texts, const std::string &record_file, void (*at_end)());

    // The number of configurations, 0 included, which is none.
    size_t configurations() const { return 2 * (size_t(cpus_) + 1); }
    int threads_of(int configuration) const { return configuration % (cpus_ + 1); }
    bool is_double(int configuration) const { return configuration > cpus_; }
    // The threads that GATK asked for last, which may be negative.
    int wanted_threads() const { return wanted_threads_; }

    // Opens the handle of a configuration.
    virtual void prepare(int configuration) = 0;
    // Writes lines about devices to the log.
    virtual void log_devices() const {}
    // Computes one region.
    virtual void compute_region(int configuration, const Region &region, double *likelihoods) = 0;
    // Computes one region with the portable build in double precision.
    virtual void compute_again(int threads, const Region &region, double *likelihoods) = 0;
    // Returns the largest difference from the second computation that a log10 likelihood of a read
    // of this length may have.
    virtual double accepted(int configuration, int64_t read_length) const = 0;

   private:
    void announce(int configuration, int asked, const char *replaced);
    void account(int configuration, const Region &region, const double *likelihoods,
                 double seconds);
    std::string recording_detail() const override;
    std::string verification_detail() override;

    const int cpus_;
    std::atomic<int> wanted_threads_{1};
    std::atomic<int64_t> replaced_quals_{0}, replaced_letters_{0};
    LikelihoodDifferences differences_;
};

}  // namespace gkl_shim::jni

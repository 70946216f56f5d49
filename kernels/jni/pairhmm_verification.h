// GKL_SHIM_VERIFY for PairHMM.
#pragma once

#include <stdint.h>

#include <mutex>

#include "gkl_shim.h"
#include "verification.h"

namespace gkl_shim {
namespace jni {

// The reference results come from the portable build in double precision. Any thread may verify.
class PairHmmVerification {
   public:
    // Computes a region on `threads` threads and compares.
    void verify(const gkl_shim_pairhmm_batch &region, const double *likelihoods, int threads);

    // Logs the closing line.
    void report() { verification_.report(); }

   private:
    // Opens the reference handle on first use. Returns null, with the error set, if that fails.
    gkl_shim_pairhmm *reference(int threads);

    std::mutex mutex_;
    gkl_shim_pairhmm *reference_ = nullptr;
    // The accuracy that the C ABI promises for single precision.
    Verification verification_{"PairHMM", 1e-5};
};

}  // namespace jni
}  // namespace gkl_shim

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
    // Computes the region with this number on `threads` threads, and compares.
    void verify(int64_t number, const gkl_shim_pairhmm_batch &region, const double *likelihoods,
                int threads) noexcept;

    // Logs the closing line.
    void report() { verification_.report(); }

   private:
    // Opens the reference handle on first use. Throws JavaError.
    gkl_shim_pairhmm *reference(int threads);

    std::mutex mutex_;
    gkl_shim_pairhmm *reference_ = nullptr;
    // The accuracy that the C ABI promises for single precision.
    LikelihoodVerification verification_{"PairHMM", "GKL_SHIM_PAIRHMM", 1e-5};
};

}  // namespace jni
}  // namespace gkl_shim

// GKL_SHIM_VERIFY for PairHMM: computes regions a second time and compares the results.
#pragma once

#include <stdint.h>

#include <mutex>

#include "gkl_shim.h"

namespace gkl_shim {
namespace jni {

// The reference results come from the portable build in double precision. Any thread may verify.
class PairHmmVerification {
   public:
    // Computes a region on `threads` threads and compares. Only the first failure is logged as a
    // warning.
    void verify(const gkl_shim_pairhmm_batch &region, const double *likelihoods, int threads);

    // Logs the closing line.
    void report();

   private:
    // Opens the reference handle on first use. Returns null, with the error set, if that fails.
    gkl_shim_pairhmm *reference(int threads);

    std::mutex mutex_;
    gkl_shim_pairhmm *reference_ = nullptr;
    int64_t verified_ = 0;
    double largest_difference_ = 0;
    bool failed_ = false;
};

}  // namespace jni
}  // namespace gkl_shim

// GKL_SHIM_VERIFY for PairHMM: computes regions again and compares.
#pragma once

#include <stdint.h>

#include <mutex>

#include "gkl_shim.h"

namespace gkl_shim {
namespace jni {

// The other results come from the portable build in double precision. Any thread may verify.
class PairHmmVerification {
   public:
    // Computes a region on `threads` threads and compares. What fails is a warning, the first time.
    void verify(const gkl_shim_pairhmm_batch &region, const double *likelihoods, int threads);

    // Writes the closing line.
    void report();

   private:
    // Opens the handle when it is first needed. Null, with the error set, where that fails.
    gkl_shim_pairhmm *reference(int threads);

    std::mutex mutex_;
    gkl_shim_pairhmm *reference_ = nullptr;
    int64_t verified_ = 0;
    double largest_difference_ = 0;
    bool failed_ = false;
};

}  // namespace jni
}  // namespace gkl_shim

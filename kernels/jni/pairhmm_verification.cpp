#include "pairhmm_verification.h"

namespace gkl_shim {
namespace jni {

gkl_shim_pairhmm *PairHmmVerification::reference(int threads) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (reference_ != nullptr) return reference_;
    gkl_shim_pairhmm_options options = {};
    options.threads = threads;
    options.precision = GKL_SHIM_DOUBLE;
    options.conventions = GKL_SHIM_AS_GKL;
    options.build = "portable";
    gkl_shim_pairhmm *opened;
    if (gkl_shim_pairhmm_open(&options, &opened) == GKL_SHIM_OK) reference_ = opened;
    return reference_;
}

void PairHmmVerification::verify(const gkl_shim_pairhmm_batch &region, const double *likelihoods,
                                 int threads) {
    const int64_t pairs = region.region_reads[1] * region.region_haplotypes[1];
    verification_.verify(pairs, likelihoods, [&](double *expected) {
        gkl_shim_pairhmm *const opened = reference(threads);
        return opened != nullptr &&
               gkl_shim_pairhmm_compute(opened, &region, expected, pairs) == GKL_SHIM_OK;
    });
}

}  // namespace jni
}  // namespace gkl_shim

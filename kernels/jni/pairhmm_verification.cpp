#include "pairhmm_verification.h"

#include "guarded_jni.h"

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
    check(gkl_shim_pairhmm_open(&options, &reference_));
    return reference_;
}

void PairHmmVerification::verify(int64_t number, const gkl_shim_pairhmm_batch &region,
                                 const double *likelihoods, int threads) noexcept {
    const int64_t reads = region.region_reads[1], haplotypes = region.region_haplotypes[1];
    verification_.verify(number, reads, haplotypes, likelihoods, [&](double *expected) {
        check(gkl_shim_pairhmm_compute(reference(threads), &region, expected, reads * haplotypes));
    });
}

}  // namespace jni
}  // namespace gkl_shim

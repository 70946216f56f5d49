#include "pairhmm_verification.h"

#include <math.h>

#include <algorithm>
#include <string>
#include <vector>

#include "log.h"
#include "settings.h"

namespace gkl_shim {
namespace jni {
namespace {

// The accuracy that the C ABI promises for single precision.
constexpr double kAcceptedDifference = 1e-5;

}  // namespace

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
    gkl_shim_pairhmm *const opened = reference(threads);
    const int64_t pairs = region.region_reads[1] * region.region_haplotypes[1];
    std::vector<double> expected(size_t(pairs), 0.0);
    const bool computed =
        opened != nullptr &&
        gkl_shim_pairhmm_compute(opened, &region, expected.data(), pairs) == GKL_SHIM_OK;

    double largest = 0;
    if (computed)
        for (int64_t i = 0; i < pairs; i++) {
            if (expected[size_t(i)] == likelihoods[i]) continue;  // includes two -Infinity
            const double difference = fabs(expected[size_t(i)] - likelihoods[i]);
            // NaN counts as the largest difference.
            largest = difference <= largest ? largest : isnan(difference) ? INFINITY : difference;
        }
    const std::lock_guard<std::mutex> lock(mutex_);
    if (computed) {
        verified_++;
        largest_difference_ = std::max(largest_difference_, largest);
    } else if (!failed_) {
        failed_ = true;
        log_warning(
            format("GKL_SHIM_VERIFY: a region could not be verified: %s", gkl_shim_last_error()));
    }
}

void PairHmmVerification::report() {
    const std::lock_guard<std::mutex> lock(mutex_);
    const std::string line =
        format("PairHMM: %s verified in double precision, largest difference %.2g",
               plural(verified_, "region").c_str(), largest_difference_);
    if (largest_difference_ > kAcceptedDifference)
        log_warning(line + format(", more than the accepted %.0e", kAcceptedDifference));
    else if (settings().log != LogLevel::kQuiet)
        log_line(line);
}

}  // namespace jni
}  // namespace gkl_shim

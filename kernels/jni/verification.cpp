#include "verification.h"

#include <math.h>

#include <algorithm>
#include <string>

#include "gkl_shim.h"
#include "log.h"
#include "settings.h"

namespace gkl_shim {
namespace jni {

void Verification::compare(int64_t pairs, const double *likelihoods, const double *expected) {
    double largest = 0;
    for (int64_t i = 0; i < pairs; i++) {
        if (expected[i] == likelihoods[i]) continue;  // includes two -Infinity
        const double difference = fabs(expected[i] - likelihoods[i]);
        // NaN counts as the largest difference.
        largest = difference <= largest ? largest : isnan(difference) ? INFINITY : difference;
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    verified_++;
    largest_difference_ = std::max(largest_difference_, largest);
}

void Verification::fail() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (failed_) return;
    failed_ = true;
    log_warning(
        format("GKL_SHIM_VERIFY: a region could not be verified: %s", gkl_shim_last_error()));
}

void Verification::report() {
    const std::lock_guard<std::mutex> lock(mutex_);
    const std::string line =
        format("%s: %s verified in double precision, largest difference %.2g", title_,
               plural(verified_, "region").c_str(), largest_difference_);
    if (largest_difference_ > accepted_)
        log_warning(line + format(", more than the accepted %.0e", accepted_));
    else if (settings().log != LogLevel::kQuiet)
        log_line(line);
}

}  // namespace jni
}  // namespace gkl_shim

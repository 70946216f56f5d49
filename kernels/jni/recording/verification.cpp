#include "verification.h"

#include <math.h>

#include <algorithm>

#include "common/error.h"
#include "gkl_shim.h"
#include "jni/guarded_jni.h"
#include "jni/settings/log.h"

namespace gkl_shim::jni {
namespace {

// What the exception that is being handled says.
std::string reason() {
    try {
        throw;
    } catch (const JavaError &error) {
        return error.what();
    } catch (...) {
        status_of_exception();
        return gkl_shim_last_error();
    }
}

}  // namespace

void Verification::add(int64_t number, const std::string &difference) {
    const std::lock_guard<std::mutex> lock(mutex_);
    counts_.verified++;
    if (difference.empty() || counts_.different++ > 0) return;
    log_warning(format("GKL_SHIM_VERIFY: %s: %s %lld: %s", title_, call_, (long long)number,
                       difference.c_str()));
}

void Verification::fail(int64_t number) noexcept {
    quietly([&] {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (counts_.failed++ > 0) return;
        log_warning(format("GKL_SHIM_VERIFY: %s: %s %lld could not be verified: %s", title_, call_,
                           (long long)number, reason().c_str()));
    });
}

std::string LikelihoodDifferences::compare(int64_t reads, int64_t haplotypes,
                                           const double *likelihoods, const double *expected,
                                           const std::function<double(int64_t)> &accepted) {
    double largest = 0;
    int64_t wrong = -1;
    for (int64_t i = 0; i < reads * haplotypes; i++) {
        if (expected[i] == likelihoods[i]) continue;  // includes two -Infinity
        double difference = fabs(expected[i] - likelihoods[i]);
        if (isnan(difference)) difference = INFINITY;
        if (wrong < 0 && difference > accepted(i / haplotypes)) wrong = i;
        largest = std::max(largest, difference);
    }
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        largest_ = std::max(largest_, largest);
    }
    if (wrong < 0) return "";
    return format("read %lld and haplotype %lld give %.17g, but the portable build %.17g",
                  (long long)(wrong / haplotypes + 1), (long long)(wrong % haplotypes + 1),
                  likelihoods[wrong], expected[wrong]);
}

}  // namespace gkl_shim::jni

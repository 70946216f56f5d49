// GKL_SHIM_VERIFY: calls are computed a second time, and the results are compared.
#pragma once

#include <stdint.h>

#include <functional>
#include <mutex>
#include <string>

namespace gkl_shim::jni {

// What the comparisons of one algorithm have found. Any thread may verify.
class Verification {
   public:
    // `title` names the algorithm and `call` one call, such as "region", both for the log.
    Verification(const char *title, const char *call) : title_(title), call_(call) {}

    // Verifies the call with this number. check() computes it a second time, and returns how the
    // results differ, or "". Only the first difference and the first failure of check() are logged
    // as warnings.
    template <class Check>
    void verify(int64_t number, Check check) noexcept {
        try {
            add(number, check());
        } catch (...) {
            fail(number);
        }
    }

    struct Counts {
        int64_t verified = 0, different = 0, failed = 0;
    };
    Counts counts() {
        const std::lock_guard<std::mutex> lock(mutex_);
        return counts_;
    }

   private:
    void add(int64_t number, const std::string &difference);
    // Counts and reports the exception that is being handled.
    void fail(int64_t number) noexcept;

    const char *const title_, *const call_;
    std::mutex mutex_;
    Counts counts_;
};

// The differences between the log10 likelihoods of regions and those of a second computation. Any
// thread may compare.
class LikelihoodDifferences {
   public:
    // Compares the likelihoods of a region. A difference larger than accepted(read) is a wrong
    // result. Returns how the first wrong one differs, or "".
    std::string compare(int64_t reads, int64_t haplotypes, const double *likelihoods,
                        const double *expected, const std::function<double(int64_t)> &accepted);

    double largest() {
        const std::lock_guard<std::mutex> lock(mutex_);
        return largest_;
    }

   private:
    std::mutex mutex_;
    double largest_ = 0;
};

}  // namespace gkl_shim::jni

// GKL_SHIM_VERIFY: regions are computed a second time, and the results are compared.
#pragma once

#include <stdint.h>

#include <mutex>
#include <vector>

namespace gkl_shim {
namespace jni {

// What the comparisons of one algorithm have found. Any thread may verify.
class Verification {
   public:
    // `title`: the algorithm, for the log. `accepted`: a larger difference is a warning.
    Verification(const char *title, double accepted) : title_(title), accepted_(accepted) {}

    // Given a region's log10 likelihoods, compares them with those that compute(expected) writes.
    // It returns false, with the error set, if it cannot. Only the first failure is logged as a
    // warning.
    template <class Compute>
    void verify(int64_t pairs, const double *likelihoods, Compute compute) {
        std::vector<double> expected(size_t(pairs), 0.0);
        if (compute(expected.data()))
            compare(pairs, likelihoods, expected.data());
        else
            fail();
    }

    // Logs the closing line.
    void report();

   private:
    void compare(int64_t pairs, const double *likelihoods, const double *expected);
    void fail();

    const char *const title_;
    const double accepted_;
    std::mutex mutex_;
    int64_t verified_ = 0;
    double largest_difference_ = 0;
    bool failed_ = false;
};

}  // namespace jni
}  // namespace gkl_shim

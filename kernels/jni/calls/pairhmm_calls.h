// PairHMM for Java classes, Intel's or ours.
#pragma once

#include "handle_cache.h"
#include "region_calls.h"

namespace gkl_shim::jni {

class PairHmmCalls : public RegionCalls {
   public:
    static PairHmmCalls &get();

   private:
    PairHmmCalls();
    gkl_shim_pairhmm *open(int configuration, int32_t backend) const;
    gkl_shim_pairhmm *handle(int configuration);

    void prepare(int configuration) override { handle(configuration); }
    void log_devices() const override;
    void compute_region(int configuration, const Region &region, double *likelihoods) override;
    void compute_again(int threads, const Region &region, double *likelihoods) override;
    double accepted(int configuration, int64_t read_length) const override;
    std::string totals_detail() const override;

    HandleCache<gkl_shim_pairhmm> handles_{configurations()};
    HandleCache<gkl_shim_pairhmm> portable_{1};  // for verification
};

}  // namespace gkl_shim::jni

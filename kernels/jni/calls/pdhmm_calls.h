// PDHMM for our Java classes.
#pragma once

#include "handle_cache.h"
#include "region_calls.h"

namespace gkl_shim::jni {

class PdhmmCalls : public RegionCalls {
   public:
    static PdhmmCalls &get();

   private:
    PdhmmCalls();

    void prepare(int configuration) override { handle(configuration); }
    void compute_region(int configuration, const Region &region, double *likelihoods) override;
    void compute_again(int threads, const Region &region, double *likelihoods) override;
    double accepted(int configuration, int64_t read_length) const override;
    std::string totals_detail() const override;

    gkl_shim_pdhmm *handle(int configuration);

    HandleCache<gkl_shim_pdhmm> handles_{configurations()};
    HandleCache<gkl_shim_pdhmm> portable_{1};  // for verification
};

}  // namespace gkl_shim::jni

#include "jni/guarded_jni.h"
#include "region_kernels.h"

namespace gkl_shim::jni {

gkl_shim_pdhmm *PdhmmKernel::open(const gkl_shim_pairhmm_options &options) {
    const gkl_shim_pdhmm_options own = {options.threads, options.conventions, options.build};
    gkl_shim_pdhmm *handle;
    check(gkl_shim_pdhmm_open(&own, &handle));
    return handle;
}

gkl_shim_pairhmm_stats PdhmmKernel::statistics(const gkl_shim_pdhmm *handle) {
    gkl_shim_pdhmm_stats own;
    gkl_shim_pdhmm_statistics(handle, &own);
    gkl_shim_pairhmm_stats statistics = {};
    statistics.rescued_pairs = own.rescued_pairs;
    return statistics;
}

std::string PdhmmKernel::detail(const gkl_shim_pairhmm_stats &sum) {
    if (sum.rescued_pairs == 0) return "";
    return format("; %lld pairs computed a second time", (long long)sum.rescued_pairs);
}

}  // namespace gkl_shim::jni

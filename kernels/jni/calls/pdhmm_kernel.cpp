#include "pdhmm_calls.h"

#include "jni/guarded_jni.h"
#include "jni/settings/log.h"
#include "jni/settings/settings.h"

namespace gkl_shim::jni {
namespace {

const CallTexts kPdhmmTexts = {"PDHMM",
                               "region",
                               "region",
                               "GKL_SHIM_PDHMM",
                               "by the portable build",
                               "in double precision",
                               "initialized, but no region was computed"};

gkl_shim_pdhmm *open_pdhmm(int threads, const char *build) {
    const gkl_shim_pdhmm_options options = {threads, GKL_SHIM_AS_GKL, build};
    gkl_shim_pdhmm *handle;
    check(gkl_shim_pdhmm_open(&options, &handle));
    return handle;
}

void compute_with(gkl_shim_pdhmm *handle, const Region &region, double *likelihoods) {
    check(gkl_shim_pdhmm_compute(handle, &region, likelihoods, pair_count(region)));
}

}  // namespace

PdhmmCalls &PdhmmCalls::get() {
    static PdhmmCalls *const calls = new PdhmmCalls;
    return *calls;
}

PdhmmCalls::PdhmmCalls()
    : RegionCalls(kPdhmmTexts, settings().record.empty() ? "" : settings().record + ".pdhmm",
                  [] { get().report(); }) {}

gkl_shim_pdhmm *PdhmmCalls::handle(int configuration) {
    return handles_.get(size_t(configuration),
                        [&] { return open_pdhmm(threads_of(configuration), chosen_build()); });
}

void PdhmmCalls::compute_region(int configuration, const Region &region, double *likelihoods) {
    compute_with(handle(configuration), region, likelihoods);
}

// All builds give the same bits.
double PdhmmCalls::accepted(int, int64_t) const { return 0; }

void PdhmmCalls::compute_again(int threads, const Region &region, double *likelihoods) {
    compute_with(portable_.get(0, [&] { return open_pdhmm(threads, "portable"); }), region,
                 likelihoods);
}

std::string PdhmmCalls::totals_detail() const {
    int64_t rescued = 0;
    handles_.for_each([&](const gkl_shim_pdhmm *handle) {
        gkl_shim_pdhmm_stats statistics;
        gkl_shim_pdhmm_statistics(handle, &statistics);
        rescued += statistics.rescued_pairs;
    });
    return rescued == 0 ? "" : format("; %lld pairs computed a second time", (long long)rescued);
}

}  // namespace gkl_shim::jni

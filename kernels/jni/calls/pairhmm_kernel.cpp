#include "pairhmm_calls.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>

#include "jni/guarded_jni.h"
#include "jni/settings/log.h"
#include "jni/settings/settings.h"

namespace gkl_shim::jni {
namespace {

const CallTexts kPairHmmTexts = {"PairHMM",
                                 "region",
                                 "region",
                                 "GKL_SHIM_PAIRHMM",
                                 "in double precision by the portable build",
                                 "in double precision",
                                 "initialized, but no region was computed"};

// Lets the driver create a context with one hardware queue, unless the user has chosen a number. By
// default there are eight. Jobs that start together create their contexts one after the other, and
// each takes a third of the time with one queue. A thread that calls by itself is as fast with it.
// Threads that call without a pause would get fewer calls a second, but GATK's own work takes far
// longer than a call (docs/gpu.md). Python and NumPy set variables of the process when they start,
// too.
void create_context_with_one_queue() { setenv("CUDA_DEVICE_MAX_CONNECTIONS", "1", 0); }

// Ends the process as GKL does with a negative number of threads: OpenMP takes it for billions, and
// its library ends the process when the first region is computed.
[[noreturn]] void end_for_want_of_threads(int threads) {
    log_line(
        format("PairHMM: GATK asks for %d threads (--native-pair-hmm-threads); this run ends, "
               "as it does without gkl-shim with the message libgomp: Out of memory",
               threads));
    _exit(EXIT_FAILURE);
}

gkl_shim_pairhmm *open_pairhmm(int threads, bool double_precision, const char *build,
                               int32_t backend) {
    if (backend != GKL_SHIM_CPU) create_context_with_one_queue();
    const gkl_shim_pairhmm_options options = {threads,
                                              double_precision ? GKL_SHIM_DOUBLE : GKL_SHIM_SINGLE,
                                              GKL_SHIM_AS_GKL, build, backend};
    gkl_shim_pairhmm *handle;
    check(gkl_shim_pairhmm_open(&options, &handle));
    return handle;
}

}  // namespace

PairHmmCalls &PairHmmCalls::get() {
    static PairHmmCalls *const calls = new PairHmmCalls;
    return *calls;
}

PairHmmCalls::PairHmmCalls()
    : RegionCalls(kPairHmmTexts, settings().record, [] { get().report(); }) {}

gkl_shim_pairhmm *PairHmmCalls::open(int configuration, int32_t backend) const {
    return open_pairhmm(threads_of(configuration), is_double(configuration), chosen_build(),
                        backend);
}

gkl_shim_pairhmm *PairHmmCalls::handle(int configuration) {
    return handles_.get(size_t(configuration),
                        [&] { return open(configuration, settings().backend); });
}

void PairHmmCalls::log_devices() const {
    if (settings().backend == GKL_SHIM_CUDA)
        log_line("PairHMM: GKL_SHIM_BACKEND=cuda: regions go to the GPU");
    else if (settings().backend == GKL_SHIM_AUTO &&
             strcmp(gkl_shim_pairhmm_cuda_state(), "starting") == 0)
        log_line("PairHMM: large regions go to the GPU as soon as it is ready");
}

void PairHmmCalls::compute_region(int configuration, const Region &region, double *likelihoods) {
    const int64_t count = pair_count(region);
    // Opening the handle also begins to start the GPU engine, while GATK itself starts.
    gkl_shim_pairhmm *const opened = handle(configuration);
    if (announced() && wanted_threads() < 0) end_for_want_of_threads(wanted_threads());
    if (announced())
        return check(gkl_shim_pairhmm_compute(opened, &region.pairs, likelihoods, count));
    // The self-test runs on the CPU, so that it does not wait for a GPU.
    gkl_shim_pairhmm *const trial = open(configuration, GKL_SHIM_CPU);
    const gkl_shim_status status =
        gkl_shim_pairhmm_compute(trial, &region.pairs, likelihoods, count);
    gkl_shim_pairhmm_close(trial);
    check(status);
}

void PairHmmCalls::compute_again(int threads, const Region &region, double *likelihoods) {
    gkl_shim_pairhmm *const portable =
        portable_.get(0, [&] { return open_pairhmm(threads, true, "portable", GKL_SHIM_CPU); });
    check(gkl_shim_pairhmm_compute(portable, &region.pairs, likelihoods, pair_count(region)));
}

// The accuracy that gkl_shim.h promises, and in single precision the rounding of GKL_SHIM_AS_GKL.
double PairHmmCalls::accepted(int configuration, int64_t read_length) const {
    if (is_double(configuration)) return 1e-8;
    return std::max(1e-5, 6e-8 * double(read_length)) + 0x1p-18;
}

std::string PairHmmCalls::totals_detail() const {
    int64_t rescued = 0, rescaled = 0, on_gpu = 0;
    handles_.for_each([&](const gkl_shim_pairhmm *handle) {
        gkl_shim_pairhmm_stats statistics;
        gkl_shim_pairhmm_statistics(handle, &statistics);
        rescued += statistics.rescued_pairs;
        rescaled += statistics.rescaled_pairs;
        on_gpu += statistics.cuda_pairs;
    });
    std::string detail =
        format("; %lld pairs computed again in double precision", (long long)rescued);
    if (rescaled > 0) detail += format(", %lld with rescaling", (long long)rescaled);
    if (on_gpu > 0)
        detail += format("; %lld pairs on %s", (long long)on_gpu, gkl_shim_pairhmm_cuda_state());
    return detail;
}

}  // namespace gkl_shim::jni

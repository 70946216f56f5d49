#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>

#include "jni/guarded_jni.h"
#include "region_kernels.h"

namespace gkl_shim::jni {
namespace {

// Lets the driver create a context with one hardware queue, unless the user has chosen a number. By
// default there are eight. Jobs that start together create their contexts one after the other, and
// each takes a third of the time with one queue. A thread that calls by itself is as fast with it.
// Threads that call without a pause would get fewer calls a second, but GATK's own work takes far
// longer than a call (docs/gpu.md). Python and NumPy set variables of the process when they start,
// too.
void create_context_with_one_queue() { setenv("CUDA_DEVICE_MAX_CONNECTIONS", "1", 0); }

}  // namespace

gkl_shim_pairhmm *PairHmmKernel::open(const gkl_shim_pairhmm_options &options) {
    if (options.backend != GKL_SHIM_CPU) create_context_with_one_queue();
    gkl_shim_pairhmm *handle;
    check(gkl_shim_pairhmm_open(&options, &handle));
    return handle;
}

// Ends the process as GKL does with a negative number of threads: OpenMP takes it for billions, and
// its library ends the process when the first region is computed.
void PairHmmKernel::check_threads(int wanted) {
    if (wanted >= 0) return;
    log_line(
        format("PairHMM: GATK asks for %d threads (--native-pair-hmm-threads); this run ends, "
               "as it does without gkl-shim with the message libgomp: Out of memory",
               wanted));
    _exit(EXIT_FAILURE);
}

void PairHmmKernel::log_devices() {
    if (settings().backend == GKL_SHIM_CUDA)
        log_line("PairHMM: GKL_SHIM_BACKEND=cuda: regions go to the GPU");
    else if (settings().backend == GKL_SHIM_AUTO &&
             strcmp(gkl_shim_pairhmm_cuda_state(), "starting") == 0)
        log_line("PairHMM: large regions go to the GPU as soon as it is ready");
}

// The accuracy that gkl_shim.h promises, and in single precision the rounding of GKL_SHIM_AS_GKL.
double PairHmmKernel::accepted(bool double_precision, int64_t read_length) {
    if (double_precision) return 1e-8;
    return std::max(1e-5, 6e-8 * double(read_length)) + 0x1p-18;
}

gkl_shim_pairhmm_stats PairHmmKernel::statistics(const gkl_shim_pairhmm *handle) {
    gkl_shim_pairhmm_stats statistics;
    gkl_shim_pairhmm_statistics(handle, &statistics);
    return statistics;
}

std::string PairHmmKernel::detail(const gkl_shim_pairhmm_stats &sum) {
    std::string detail =
        format("; %lld pairs computed again in double precision", (long long)sum.rescued_pairs);
    if (sum.rescaled_pairs > 0)
        detail += format(", %lld with rescaling", (long long)sum.rescaled_pairs);
    if (sum.cuda_pairs > 0)
        detail +=
            format("; %lld pairs on %s", (long long)sum.cuda_pairs, gkl_shim_pairhmm_cuda_state());
    return detail;
}

}  // namespace gkl_shim::jni

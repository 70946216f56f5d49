#include "pairhmm/cuda_host.h"

#include <stdio.h>
#include <unistd.h>

#include <atomic>

#include "common/python_host.h"

namespace gkl_shim {
namespace pairhmm {
namespace {

constexpr double kPatienceSeconds = 10;

// The cost model of a call, in nanoseconds, measured from C with the H200 and one host core of its
// machine (benchmarks/results): the way through Python and back, and cells of the input a
// nanosecond on the GPU and on a thread of the CPU, shared columns counted in both.
constexpr double kTripNanoseconds = 80000, kGpuCells = 3000, kCpuCells = 20;

std::atomic<bool> lost{false};

void warn(const std::string &reason) {
    if (lost.exchange(true)) return;
    const std::string line = "[gkl-shim " GKL_SHIM_VERSION "] warning: PairHMM: no GPU (" + reason +
                             "); the CPU engine computes, with the same answers\n";
    fwrite(line.data(), 1, line.size(), stderr);
}

bool driver_present() {
    return access("/dev/nvidiactl", F_OK) == 0 || access("/dev/dxg", F_OK) == 0;
}

}  // namespace

void start_cuda(int32_t backend) {
    if (backend == GKL_SHIM_CUDA || (backend == GKL_SHIM_AUTO && driver_present()))
        PythonHost::get().start();
}

bool cuda_wanted(int32_t backend, int64_t cells, int threads) {
    if (backend == GKL_SHIM_CPU || cells == 0 || lost) return false;
    PythonHost &host = PythonHost::get();
    if (backend == GKL_SHIM_AUTO &&
        double(cells) * (1 / (kCpuCells * threads) - 1 / kGpuCells) < kTripNanoseconds)
        return false;
    if (backend == GKL_SHIM_CUDA ? host.wait_ready(kPatienceSeconds) : host.ready()) return true;
    std::string detail;
    const PythonHost::State state = host.state(&detail);
    if (state == PythonHost::kFailed)
        warn(detail);
    else if (backend == GKL_SHIM_CUDA)
        warn("it was not ready within 10 seconds");
    return false;
}

bool compute_on_cuda(const gkl_shim_pairhmm_batch &batch, bool double_precision, bool as_gkl,
                     double *log10_likelihoods, int64_t pairs) {
    const auto address = [](const void *pointer) { return int64_t(intptr_t(pointer)); };
    std::string reason;
    if (PythonHost::get().call(
            "pairhmm",
            {address(&batch), double_precision, as_gkl, address(log10_likelihoods), pairs},
            &reason))
        return true;
    warn(reason);
    return false;
}

std::string cuda_state() {
    std::string detail;
    switch (PythonHost::get().state(&detail)) {
        case PythonHost::kIdle:
            return "not asked for";
        case PythonHost::kStarting:
            return "starting";
        default:
            return detail;
    }
}

}  // namespace pairhmm
}  // namespace gkl_shim

#include "pairhmm/cuda/engine/start.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <atomic>
#include <mutex>

#include "common/error.h"
#include "gpu/python_host.h"

namespace gkl_shim {
namespace pairhmm {
namespace {

constexpr double kPatienceSeconds = 10;

std::atomic<bool> lost{false};

void warn(const std::string &text) {
    const std::string line = "[gkl-shim " GKL_SHIM_VERSION "] warning: PairHMM: " + text + "\n";
    fwrite(line.data(), 1, line.size(), stderr);
}

// From now on, the CPU computes.
void give_up(const std::string &reason) {
    if (!lost.exchange(true))
        warn("no GPU (" + reason + "); the CPU engine computes, with the same answers");
}

void tell_of_losses(const gkl_shim_pairhmm_cuda_vtable &vtable) {
    int32_t number;
    while (const char *reason = vtable.loss(vtable.engine, &number)) {
        if (vtable.uses(vtable.engine, -1))
            warn("GPU " + std::to_string(number) + " is no longer used: " + reason +
                 "; other devices or the CPU compute its work");
        else
            give_up(reason);
    }
}

// The engine for a precision and conventions, opened by Python when it is first wanted. It belongs
// to the copy of this library that Python has loaded; a jar has another copy. Returns null if there
// is no engine, and the reason.
const gkl_shim_pairhmm_cuda_vtable *vtable_for(bool double_precision, bool as_gkl,
                                               std::string *reason) {
    static gkl_shim_pairhmm_cuda_vtable vtables[2][2];
    static std::atomic<bool> opened[2][2];
    static std::mutex opening;
    gkl_shim_pairhmm_cuda_vtable *const vtable = &vtables[double_precision][as_gkl];
    std::atomic<bool> &is_open = opened[double_precision][as_gkl];
    if (is_open.load(std::memory_order_acquire)) return vtable;
    const std::lock_guard<std::mutex> lock(opening);
    if (is_open) return vtable;
    if (!PythonHost::get().call("pairhmm", {double_precision, as_gkl, int64_t(intptr_t(vtable))},
                                reason))
        return nullptr;
    if (strcmp(vtable->version, GKL_SHIM_VERSION) != 0) {
        *reason = std::string("Python has gkl-shim ") + vtable->version + ", this is " +
                  GKL_SHIM_VERSION + ": install the same";
        return nullptr;
    }
    is_open.store(true, std::memory_order_release);
    return vtable;
}

bool driver_present() {
    return access("/dev/nvidiactl", F_OK) == 0 || access("/dev/dxg", F_OK) == 0;
}

}  // namespace

void start_cuda(int32_t backend) {
    if (backend == GKL_SHIM_CUDA || (backend == GKL_SHIM_AUTO && driver_present()))
        guarded([] { return PythonHost::get().start(), GKL_SHIM_OK; });
}

bool cuda_wanted(int32_t backend, const gkl_shim_call_estimate &call, gpu::CallCosts *costs) {
    if (lost) return false;
    PythonHost &host = PythonHost::get();
    if (backend == GKL_SHIM_AUTO && !costs->prefer_gpu(call)) return false;
    if (backend == GKL_SHIM_CUDA ? host.wait_ready(kPatienceSeconds) : host.ready()) return true;
    std::string detail;
    const PythonHost::State state = host.state(&detail);
    if (state == PythonHost::kFailed)
        give_up(detail);
    else if (backend == GKL_SHIM_CUDA)
        give_up("it was not ready within 10 seconds");
    return false;
}

bool compute_on_cuda(const gkl_shim_pairhmm_batch &batch, bool double_precision, bool as_gkl,
                     double *log10_likelihoods, gkl_shim_pairhmm_stats *done) {
    std::string reason;
    const gkl_shim_pairhmm_cuda_vtable *const vtable =
        vtable_for(double_precision, as_gkl, &reason);
    if (!vtable) {
        give_up(reason);
        return false;
    }
    const gkl_shim_status status =
        vtable->compute(vtable->engine, &batch, 1, log10_likelihoods, done);
    tell_of_losses(*vtable);
    if (status != GKL_SHIM_OK) give_up(vtable->last_error());
    return status == GKL_SHIM_OK;
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

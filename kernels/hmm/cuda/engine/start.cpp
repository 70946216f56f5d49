#include "hmm/cuda/engine/start.h"

#include <stdio.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <vector>

#include "common/error.h"
#include "hmm/cuda/engine/engine.h"
#include "hmm/cuda/planner/span.h"
#include "python_host/python_host.h"

namespace gkl_shim::pairhmm {
namespace {

constexpr double kPatienceSeconds = 10;

std::atomic<bool> gpu_given_up{false};

void warn(const std::string &text) {
    const std::string line = "[gkl-shim " GKL_SHIM_VERSION "] warning: PairHMM: " + text + "\n";
    fwrite(line.data(), 1, line.size(), stderr);
}

// From now on, the CPU computes.
void give_up(const std::string &reason) {
    if (!gpu_given_up.exchange(true))
        warn("no GPU (" + reason + "); the CPU engine computes, with the same answers");
}

void warn_of_losses(gkl_shim_cuda_engine *engine) {
    int32_t number;
    while (const char *reason = gkl_shim_cuda_engine_next_loss(engine, &number)) {
        if (gkl_shim_cuda_engine_uses(engine, -1))
            warn("GPU " + std::to_string(number) + " is no longer used: " + reason +
                 "; other devices or the CPU compute its work");
        else
            give_up(reason);
    }
}

// What Python has opened. Set before the host is open.
const gkl_shim_pairhmm_opened *opened_by_python = nullptr;

// Returns the engine for a precision and conventions, which is opened when it is first wanted and
// stays open until the process ends. Returns null if it does not open; the last error says why.
gkl_shim_cuda_engine *engine_for(bool double_precision, bool as_gkl) {
    static std::atomic<gkl_shim_cuda_engine *> engines[2][2];
    static std::mutex opening;
    std::atomic<gkl_shim_cuda_engine *> &engine = engines[double_precision][as_gkl];
    if (gkl_shim_cuda_engine *const open = engine.load(std::memory_order_acquire)) return open;
    const std::lock_guard<std::mutex> lock(opening);
    gkl_shim_cuda_engine *made = engine;
    if (made) return made;
    gkl_shim_pairhmm_cuda_options options = opened_by_python->options;
    options.precision = double_precision ? GKL_SHIM_DOUBLE : GKL_SHIM_SINGLE;
    options.conventions = as_gkl ? GKL_SHIM_AS_GKL : GKL_SHIM_STRICT;
    gkl_shim_pairhmm_cuda_open(&options, &made);
    engine.store(made, std::memory_order_release);
    return made;
}

// Opens the engine that GATK usually needs, and lets it compute a first batch. If only some devices
// fail, a caller is told after its own first call.
std::string warm_up(const gkl_shim_opened &opened) {
    opened_by_python = static_cast<const gkl_shim_pairhmm_opened *>(opened.record);
    gkl_shim_cuda_engine *const engine = engine_for(false, true);
    const gkl_shim_pairhmm_batch &first = opened_by_python->first;
    std::vector<double> results;
    if (!engine || guarded([&] {
                       results.resize(size_t(pairs_of(whole_span(first, nullptr))));
                       return compute_checked(engine, first, results.data(), nullptr);
                   }) != GKL_SHIM_OK)
        return gkl_shim_last_error();
    int32_t number;
    return gkl_shim_cuda_engine_uses(engine, -1) ? ""
                                                 : gkl_shim_cuda_engine_next_loss(engine, &number);
}

PythonHost &python_host() {
    static PythonHost *const host = new PythonHost("pairhmm", warm_up);
    return *host;
}

bool driver_present() {
    return access("/dev/nvidiactl", F_OK) == 0 || access("/dev/dxg", F_OK) == 0;
}

}  // namespace

void start_cuda(int32_t backend) {
    if (backend == GKL_SHIM_CUDA || (backend == GKL_SHIM_AUTO && driver_present()))
        python_host().start();
}

bool cuda_is_ready(bool waits) {
    if (gpu_given_up) return false;
    switch (python_host().wait(waits ? kPatienceSeconds : 0)) {
        case PythonHost::kOpen:
            return true;
        case PythonHost::kFailed:
            give_up(python_host().text());
            return false;
        default:
            if (waits) give_up("it was not ready within 10 seconds");
            return false;
    }
}

bool compute_on_cuda(const gkl_shim_pairhmm_batch &batch, bool double_precision, bool as_gkl,
                     double *log10_likelihoods, gkl_shim_pairhmm_stats *done) {
    gkl_shim_cuda_engine *const engine = engine_for(double_precision, as_gkl);
    const bool computed =
        engine && compute_checked(engine, batch, log10_likelihoods, done) == GKL_SHIM_OK;
    if (engine) warn_of_losses(engine);
    if (!computed) give_up(gkl_shim_last_error());
    return computed;
}

std::string cuda_state() { return python_host().text(); }

}  // namespace gkl_shim::pairhmm

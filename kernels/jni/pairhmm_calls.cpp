#include "pairhmm_calls.h"

#include <stdlib.h>
#include <string.h>

#include <algorithm>

#include "guarded_jni.h"
#include "log.h"
#include "settings.h"

namespace gkl_shim {
namespace jni {
namespace {

void report_pairhmm() { PairHmmCalls::get().report(); }

// Lets the driver create a context with one hardware queue, unless the user has chosen a number. By
// default there are eight. Jobs that start together create their contexts one after the other, and
// each takes a third of the time with one queue. A thread that calls by itself is as fast with it.
// Threads that call without a pause would get fewer calls a second, but GATK's own work takes far
// longer than a call (docs/gpu.md). Python and NumPy set variables of the process when they start,
// too.
void create_context_with_one_queue() { setenv("CUDA_DEVICE_MAX_CONNECTIONS", "1", 0); }

}  // namespace

PairHmmCalls &PairHmmCalls::get() {
    static PairHmmCalls *const calls = new PairHmmCalls;
    return *calls;
}

PairHmmCalls::PairHmmCalls()
    : cpus_(gkl_shim_cpu_count()), handles_(2 * (size_t(gkl_shim_cpu_count()) + 1)) {}

int PairHmmCalls::configuration(bool double_precision, int threads) const {
    return (double_precision ? cpus_ + 1 : 0) + threads;
}

int PairHmmCalls::initialize(bool double_precision, int threads, const char *replaced) {
#if defined(__x86_64__)
    // Without fused multiply-add the engine is slower than GKL's AVX code, so Intel's stays in
    // place.
    if (replaced == nullptr && settings().build.empty() &&
        strcmp(gkl_shim_builds(), "portable") == 0)
        throw JavaError("java/lang/IllegalStateException",
                        "this CPU has no AVX2 with FMA, and Intel's code is faster here");
#endif
    const int asked = settings().threads > 0 ? settings().threads : threads;
    const int used = std::clamp(asked, 1, cpus_);
    const int chosen = configuration(double_precision, used);
    if (replaced == nullptr) return chosen;
    if (!announced()) {
        const std::lock_guard<std::mutex> lock(announcing_);
        if (!announced()) announce(chosen, asked, replaced);
    }
    if (settings().log == LogLevel::kDebug)
        log_line(format("PairHMM: a caller initialized: %s precision, %s",
                        double_precision ? "double" : "single", plural(used, "thread").c_str()));
    return chosen;
}

gkl_shim_pairhmm *PairHmmCalls::open(int configuration, int32_t backend) {
    if (backend != GKL_SHIM_CPU) create_context_with_one_queue();
    gkl_shim_pairhmm_options options = {};
    options.threads = threads_of(configuration);
    options.precision = is_double(configuration) ? GKL_SHIM_DOUBLE : GKL_SHIM_SINGLE;
    options.conventions = GKL_SHIM_AS_GKL;
    options.build = settings().build.empty() ? nullptr : settings().build.c_str();
    options.backend = backend;
    gkl_shim_pairhmm *handle;
    check(gkl_shim_pairhmm_open(&options, &handle));
    return handle;
}

gkl_shim_pairhmm *PairHmmCalls::handle(int configuration) {
    std::atomic<gkl_shim_pairhmm *> &slot = handles_[size_t(configuration)];
    gkl_shim_pairhmm *handle = slot.load(std::memory_order_acquire);
    if (handle != nullptr) return handle;
    const std::lock_guard<std::mutex> lock(opening_);
    handle = slot.load(std::memory_order_relaxed);
    if (handle != nullptr) return handle;
    handle = open(configuration, settings().backend);
    slot.store(handle, std::memory_order_release);
    return handle;
}

void PairHmmCalls::compute(JNIEnv *env, int configuration, const gkl_shim_pairhmm_batch &region,
                           jdoubleArray likelihoods, std::chrono::steady_clock::time_point start,
                           Scratch *scratch) {
    const int64_t pairs = region.region_reads[1] * region.region_haplotypes[1];
    if (scratch->likelihoods.size() < size_t(pairs)) scratch->likelihoods.resize(size_t(pairs));
    double *const results = scratch->likelihoods.data();
    compute(configuration, region, results);
    env->SetDoubleArrayRegion(likelihoods, 0, jint(pairs), results);
    check(env);
    if (!announced()) return;
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    account(configuration, region, results, elapsed.count(), &scratch->record);
}

void PairHmmCalls::compute(int configuration, const gkl_shim_pairhmm_batch &region,
                           double *likelihoods) {
    if (configuration < 1 || size_t(configuration) >= handles_.size() ||
        threads_of(configuration) == 0)
        throw JavaError("java/lang/IllegalStateException",
                        "computeLikelihoods was called before initialize");
    const int64_t pairs = region.region_reads[1] * region.region_haplotypes[1];
    // Opening the handle also begins to start the GPU engine, while GATK itself starts.
    gkl_shim_pairhmm *const opened = handle(configuration);
    if (announced()) return check(gkl_shim_pairhmm_compute(opened, &region, likelihoods, pairs));
    // The self-test runs on the CPU, so that it does not wait for a GPU.
    gkl_shim_pairhmm *const trial = open(configuration, GKL_SHIM_CPU);
    const gkl_shim_status status = gkl_shim_pairhmm_compute(trial, &region, likelihoods, pairs);
    gkl_shim_pairhmm_close(trial);
    check(status);
}

void PairHmmCalls::account(int configuration, const gkl_shim_pairhmm_batch &region,
                           const double *likelihoods, double seconds, std::string *record) {
    const int64_t reads = region.region_reads[1], haplotypes = region.region_haplotypes[1];
    const int64_t cells = region.read_offsets[reads] * region.haplotype_offsets[haplotypes];
    const int64_t number = totals_.add(reads * haplotypes, cells, seconds);
    if (recording_)
        without_failing("PairHMM: region", number,
                        [&] { recording_->add(region, nullptr, record); });
    if (settings().verify > 0 && number % settings().verify == 0)
        verification_.verify(number, region, likelihoods, threads_of(configuration));
}

void PairHmmCalls::announce(int configuration, int asked, const char *replaced) {
    log_setting_warnings();
    if (!settings().record.empty()) {
        recording_.reset(new RegionRecording(settings().record));
        if (!recording_->open()) recording_.reset();
    }
    if (settings().log != LogLevel::kQuiet) {
        // Not the handle's, because opening it also begins to start the GPU engine.
        const std::string builds = gkl_shim_builds(), best = builds.substr(0, builds.find(' '));
        const std::string build = settings().build.empty() ? best : settings().build;
        log_line(format("PairHMM: %s, %s precision, %s (%d asked for by %s, %s); %s",
                        build_text(build).c_str(), is_double(configuration) ? "double" : "single",
                        plural(threads_of(configuration), "thread").c_str(), asked,
                        settings().threads > 0 ? "GKL_SHIM_THREADS" : "GATK",
                        plural(cpus_, "CPU").c_str(), replaced));
        handle(configuration);
        if (settings().backend == GKL_SHIM_CUDA)
            log_line("PairHMM: GKL_SHIM_BACKEND=cuda: regions go to the GPU");
        else if (settings().backend == GKL_SHIM_AUTO &&
                 strcmp(gkl_shim_pairhmm_cuda_state(), "starting") == 0)
            log_line("PairHMM: large regions go to the GPU as soon as it is ready");
        if (recording_) log_line("PairHMM: every region is recorded to " + recording_->name());
        if (settings().verify > 0)
            log_line(
                format("PairHMM: one region in %lld is verified in double precision by the "
                       "portable build",
                       (long long)settings().verify));
    }
    announced_.store(true, std::memory_order_release);
    at_process_end<report_pairhmm>();
}

void PairHmmCalls::report() {
    const bool quiet = settings().log == LogLevel::kQuiet;
    if (recording_) {
        const std::string line = recording_->finish();
        if (!line.empty() && !quiet) log_line("PairHMM: " + line);
    }
    if (settings().verify > 0) verification_.report();
    if (quiet) return;
    if (totals_.calls() == 0) {
        log_line("PairHMM: initialized, but no region was computed");
        return;
    }
    int64_t rescued = 0, rescaled = 0, on_gpu = 0;
    for (const auto &handle : handles_) {
        const gkl_shim_pairhmm *opened = handle.load(std::memory_order_acquire);
        if (opened == nullptr) continue;
        gkl_shim_pairhmm_stats statistics;
        gkl_shim_pairhmm_statistics(opened, &statistics);
        rescued += statistics.rescued_pairs;
        rescaled += statistics.rescaled_pairs;
        on_gpu += statistics.cuda_pairs;
    }
    std::string line = "PairHMM: " + totals_.line("region");
    line += format("; %lld pairs computed again in double precision", (long long)rescued);
    if (rescaled > 0) line += format(", %lld with rescaling", (long long)rescaled);
    if (on_gpu > 0)
        line += format("; %lld pairs on %s", (long long)on_gpu, gkl_shim_pairhmm_cuda_state());
    log_line(line);
}

}  // namespace jni
}  // namespace gkl_shim

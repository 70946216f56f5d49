#include "session.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <new>

#include "common/floating_point_mode.h"

namespace gkl_shim {
namespace jni {
namespace {

// The bar for single precision that the C interface promises.
constexpr double kAcceptedDifference = 1e-5;

// How long this process has run, in seconds; 0 where the system does not tell.
double process_seconds() {
#if defined(__linux__)
    FILE *file = fopen("/proc/self/stat", "re");
    if (file == nullptr) return 0;
    char text[4096];
    const size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[length] = '\0';
    // The second field is the command's name in parentheses and may hold anything; the 22nd is
    // when the process started, in clock ticks since boot.
    const char *field = strrchr(text, ')');
    for (int i = 2; field != nullptr && i < 22; i++) field = strchr(field + 1, ' ');
    timespec now;
    if (field == nullptr || clock_gettime(CLOCK_BOOTTIME, &now) != 0) return 0;
    const double started = double(strtoull(field, nullptr, 10)) / double(sysconf(_SC_CLK_TCK));
    return double(now.tv_sec) + 1e-9 * double(now.tv_nsec) - started;
#else
    return 0;
#endif
}

void fail(gkl_shim_status status) {
    switch (status) {
        case GKL_SHIM_OK:
            return;
        case GKL_SHIM_ENOMEM:
            throw JavaError("java/lang/OutOfMemoryError", gkl_shim_last_error());
        case GKL_SHIM_EINVAL:
            throw JavaError("java/lang/IllegalArgumentException", gkl_shim_last_error());
        default:
            throw JavaError("java/lang/IllegalStateException", gkl_shim_last_error());
    }
}

// Does what nobody waits for: where it throws, for lack of memory, it is left.
template <class Work>
void quietly(Work work) noexcept {
    try {
        work();
    } catch (...) {
    }
}

std::string plural(int64_t count, const char *noun) {
    return format("%lld %s%s", (long long)count, noun, count == 1 ? "" : "s");
}

}  // namespace

void raise(JNIEnv *env) noexcept {
    const auto raise = [env](const char *type, const char *message) {
        jclass exception = env->FindClass(type);
        if (exception == nullptr) return;  // FindClass has raised its own
        env->ThrowNew(exception, message);
        env->DeleteLocalRef(exception);
    };
    try {
        throw;
    } catch (const JavaPending &) {
    } catch (const JavaError &error) {
        raise(error.type, error.what());
    } catch (const std::bad_alloc &) {
        raise("java/lang/OutOfMemoryError", "PairHMM: out of native memory");
    } catch (const std::length_error &) {
        raise("java/lang/OutOfMemoryError", "PairHMM: region too large");
    } catch (const std::exception &error) {
        raise("java/lang/IllegalStateException", error.what());
    } catch (...) {
        raise("java/lang/IllegalStateException", "PairHMM: a failure within the library");
    }
}

Session &Session::get() {
    static Session *session = new Session;
    return *session;
}

Session::Session()
    : cpus_(gkl_shim_cpu_count()), handles_(2 * (size_t(gkl_shim_cpu_count()) + 1)) {}

void Session::configure(const Settings &settings) { settings_ = settings; }

int Session::initialize(bool double_precision, int threads, const char *swap) {
#if defined(__x86_64__)
    // Without fused multiply-add the engine is slower than GKL's AVX code: leave Intel's in place.
    if (swap == nullptr && settings_.build.empty() && strcmp(gkl_shim_builds(), "portable") == 0)
        throw JavaError("java/lang/IllegalStateException",
                        "this CPU has no AVX2 with FMA, and Intel's code is the faster here");
#endif
    const int asked = std::max(settings_.threads > 0 ? settings_.threads : threads, 1);
    const int used = std::min(asked, cpus_);
    if (swap != nullptr && !accounting()) {
        const std::lock_guard<std::mutex> lock(announcing_);
        if (!accounting()) announce(double_precision, asked, used, swap);
    }
    if (swap != nullptr && settings_.log == LogLevel::kDebug)
        log_line(format("PairHMM: a caller initialized: %s precision, %s",
                        double_precision ? "double" : "single", plural(used, "thread").c_str()));
    return (double_precision ? cpus_ + 1 : 0) + used;
}

gkl_shim_pairhmm *Session::open(int configuration, int32_t backend) {
    gkl_shim_pairhmm_options options = {};
    options.threads = configuration % (cpus_ + 1);
    options.precision = configuration > cpus_ ? GKL_SHIM_DOUBLE : GKL_SHIM_SINGLE;
    options.conventions = GKL_SHIM_AS_GKL;
    options.build = settings_.build.empty() ? nullptr : settings_.build.c_str();
    options.backend = backend;
    gkl_shim_pairhmm *handle;
    fail(gkl_shim_pairhmm_open(&options, &handle));
    return handle;
}

gkl_shim_pairhmm *Session::handle(int configuration) {
    std::atomic<gkl_shim_pairhmm *> &slot = handles_[size_t(configuration)];
    gkl_shim_pairhmm *handle = slot.load(std::memory_order_acquire);
    if (handle != nullptr) return handle;
    std::lock_guard<std::mutex> lock(opening_);
    handle = slot.load(std::memory_order_relaxed);
    if (handle != nullptr) return handle;
    handle = open(configuration, settings_.backend);
    slot.store(handle, std::memory_order_release);
    return handle;
}

void Session::compute(int configuration, const gkl_shim_pairhmm_batch &region,
                      double *likelihoods) {
    const int threads = configuration % (cpus_ + 1);
    if (configuration < 1 || size_t(configuration) >= handles_.size() || threads == 0)
        throw JavaError("java/lang/IllegalStateException",
                        "computeLikelihoods was called before initialize");
    const int64_t pairs = region.region_reads[1] * region.region_haplotypes[1];
    // Opening it begins to start the GPU engine, while GATK starts too.
    gkl_shim_pairhmm *opened = handle(configuration);
    if (accounting()) return fail(gkl_shim_pairhmm_compute(opened, &region, likelihoods, pairs));
    // The agent's trial proves the library, and waits for no GPU.
    gkl_shim_pairhmm *trial = open(configuration, GKL_SHIM_CPU);
    const gkl_shim_status status = gkl_shim_pairhmm_compute(trial, &region, likelihoods, pairs);
    gkl_shim_pairhmm_close(trial);
    fail(status);
}

void Session::account(int configuration, const gkl_shim_pairhmm_batch &region,
                      const double *likelihoods, double seconds, std::string *scratch) {
    const int64_t reads = region.region_reads[1], haplotypes = region.region_haplotypes[1];
    const int64_t number = regions_.fetch_add(1, std::memory_order_relaxed) + 1;
    pairs_.fetch_add(reads * haplotypes, std::memory_order_relaxed);
    cells_.fetch_add(region.read_offsets[reads] * region.haplotype_offsets[haplotypes],
                     std::memory_order_relaxed);
    nanoseconds_.fetch_add(int64_t(seconds * 1e9), std::memory_order_relaxed);
    // The region itself is computed and handed over: what fails from here on is no error of it.
    try {
        if (recorder_) recorder_->add(region, scratch);
        if (settings_.verify > 0 && number % settings_.verify == 0)
            verify(configuration, region, likelihoods);
    } catch (...) {
        quietly([&] {
            log_warning(
                format("PairHMM: out of memory: region %lld is computed, but not recorded or "
                       "not verified",
                       (long long)number));
        });
    }
}

void Session::announce(bool double_precision, int asked, int threads, const char *swap) {
    for (const std::string &warning : settings_.warnings) log_warning(warning);
    if (settings_.off)
        log_warning("GKL_SHIM_BACKEND=off is ignored: Intel GKL's library has been replaced");
    if (!settings_.record.empty()) {
        recorder_.reset(new Recorder(settings_.record));
        if (!recorder_->open()) recorder_.reset();
    }
    if (settings_.log != LogLevel::kQuiet) {
        const std::string builds = gkl_shim_builds();
        const std::string build =
            settings_.build.empty() ? builds.substr(0, builds.find(' ')) : settings_.build;
        log_line(format(
            "PairHMM: %s build (%s), %s precision, %s (%d asked for by %s, %s); Intel GKL "
            "replaced (%s)",
            build.c_str(),
            settings_.build.empty() ? "the best for this CPU" : "asked for by GKL_SHIM_BUILD",
            double_precision ? "double" : "single", plural(threads, "thread").c_str(), asked,
            settings_.threads > 0 ? "GKL_SHIM_THREADS" : "GATK", plural(cpus_, "CPU").c_str(),
            swap));
        // Opening a handle begins to start the GPU engine.
        handle((double_precision ? cpus_ + 1 : 0) + threads);
        if (settings_.backend == GKL_SHIM_CUDA)
            log_line("PairHMM: GKL_SHIM_BACKEND=cuda: regions go to the GPU");
        else if (settings_.backend == GKL_SHIM_AUTO &&
                 strcmp(gkl_shim_cuda_state(), "starting") == 0)
            log_line("PairHMM: large regions go to the GPU as soon as it is ready");
        if (recorder_) log_line("PairHMM: every region is recorded to " + recorder_->name());
        if (settings_.verify > 0)
            log_line(
                format("PairHMM: one region in %lld is verified in double precision by the "
                       "portable build",
                       (long long)settings_.verify));
    }
    announced_.store(true, std::memory_order_release);
    // Not a shutdown hook of Java's: none of our Java runs in the library-path swap, and this also
    // sees what other hooks still compute.
    atexit([] { quietly([] { Session::get().report(); }); });
}

void Session::verify(int configuration, const gkl_shim_pairhmm_batch &region,
                     const double *likelihoods) {
    gkl_shim_pairhmm *reference = reference_.load(std::memory_order_acquire);
    if (reference == nullptr) {
        std::lock_guard<std::mutex> lock(opening_);
        reference = reference_.load(std::memory_order_relaxed);
        if (reference == nullptr) {
            gkl_shim_pairhmm_options options = {};
            options.threads = configuration % (cpus_ + 1);
            options.precision = GKL_SHIM_DOUBLE;
            options.conventions = GKL_SHIM_AS_GKL;
            options.build = "portable";
            if (gkl_shim_pairhmm_open(&options, &reference) == GKL_SHIM_OK)
                reference_.store(reference, std::memory_order_release);
        }
    }
    const int64_t pairs = region.region_reads[1] * region.region_haplotypes[1];
    std::vector<double> expected(size_t(pairs), 0.0);
    const bool computed =
        reference != nullptr &&
        gkl_shim_pairhmm_compute(reference, &region, expected.data(), pairs) == GKL_SHIM_OK;

    double largest = 0;
    if (computed)
        for (int64_t i = 0; i < pairs; i++) {
            if (expected[size_t(i)] == likelihoods[i]) continue;  // -Infinity both, too
            const double difference = fabs(expected[size_t(i)] - likelihoods[i]);
            // What is not a number is as far off as can be.
            largest = difference <= largest ? largest : isnan(difference) ? INFINITY : difference;
        }
    std::lock_guard<std::mutex> lock(verification_);
    if (computed) {
        verified_++;
        largest_difference_ = std::max(largest_difference_, largest);
    } else if (!verification_failed_) {
        verification_failed_ = true;
        log_warning(
            format("GKL_SHIM_VERIFY: a region could not be verified: %s", gkl_shim_last_error()));
    }
}

void Session::report() {
    const FloatingPointMode mode;
    if (recorder_) {
        const int64_t recorded = recorder_->finish();
        if (recorded >= 0 && settings_.log != LogLevel::kQuiet) {
            std::string line = format("PairHMM: %s recorded", plural(recorded, "region").c_str());
            if (recorded > 0) line += " to " + recorder_->name();
            if (recorder_->capped() > 0)
                line += format(" (%lld qualities above 93 written as 93)",
                               (long long)recorder_->capped());
            log_line(line);
        }
    }
    if (settings_.verify > 0) {
        std::lock_guard<std::mutex> lock(verification_);
        const std::string line =
            format("PairHMM: %s verified in double precision, largest difference %.2g",
                   plural(verified_, "region").c_str(), largest_difference_);
        if (largest_difference_ > kAcceptedDifference)
            log_warning(line + format(", more than the accepted %.0e", kAcceptedDifference));
        else if (settings_.log != LogLevel::kQuiet)
            log_line(line);
    }
    if (settings_.log == LogLevel::kQuiet) return;
    const int64_t regions = regions_;
    if (regions == 0) {
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
    const double seconds = double(nanoseconds_) * 1e-9, run = process_seconds();
    std::string line = format("PairHMM: %s, %lld pairs, %lld cells in %.4f s, %.2f GCUPS",
                              plural(regions, "region").c_str(), (long long)pairs_,
                              (long long)cells_, seconds, double(cells_) / seconds * 1e-9);
    if (run > 0) line += format(", %.2f%% of the run's %.1f s", 100 * seconds / run, run);
    line += format("; %lld pairs computed again in double precision", (long long)rescued);
    if (rescaled > 0) line += format(", %lld with rescaling", (long long)rescaled);
    if (on_gpu > 0) line += format("; %lld pairs on %s", (long long)on_gpu, gkl_shim_cuda_state());
    log_line(line);
}

}  // namespace jni
}  // namespace gkl_shim

#include "region_calls.h"

#include <string.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <vector>

#include "jni/guarded_jni.h"
#include "jni/kept_buffers.h"
#include "jni/recording/region_text.h"

namespace gkl_shim::jni {
namespace {

struct Scratch {
    std::vector<double> likelihoods;
    std::string record;

    size_t bytes() const { return capacity_bytes(likelihoods, record); }
};
PerThread<Scratch> thread_scratch;

}  // namespace

// Without fused multiply-add, the portable build is many times slower than Intel's code and than
// GATK's PDHMM in Java.
const char *slower_because() {
#if defined(__x86_64__)
    if (settings().build.empty() && strcmp(gkl_shim_builds(), "portable") == 0)
        return "this CPU has no AVX2 with FMA, without which gkl-shim is slower";
#endif
    return nullptr;
}

template <class Kernel>
RegionCalls<Kernel> &RegionCalls<Kernel>::get() {
    static RegionCalls *const calls = new RegionCalls;
    return *calls;
}

template <class Kernel>
RegionCalls<Kernel>::RegionCalls()
    : cpus_(gkl_shim_cpu_count()),
      calls_(Kernel::kTexts,
             settings().record.empty() ? "" : settings().record + Kernel::kRecordSuffix,
             "GKL_SHIM_RECORD", [] { get().calls_.report([] { return get().details(); }); }),
      configurations_(2 * (size_t(cpus_) + 1)) {}

// Returns the number of a configuration, and opens its handle.
template <class Kernel>
int RegionCalls<Kernel>::open(bool double_precision, int threads, bool self_test) {
    const int number = (double_precision ? cpus_ + 1 : 0) + (self_test ? 0 : threads);
    configurations_.get(size_t(number), [&] {
        auto made = std::make_unique<Configuration>();
        const gkl_shim_pairhmm_options options = {
            threads, double_precision ? GKL_SHIM_DOUBLE : GKL_SHIM_SINGLE, GKL_SHIM_AS_GKL,
            chosen_build(), self_test ? GKL_SHIM_CPU : settings().backend};
        *made = {Kernel::open(options), double_precision, threads, self_test};
        return made.release();
    });
    return number;
}

template <class Kernel>
int RegionCalls<Kernel>::used_threads(int asked) const {
    return std::clamp(asked, 1, cpus_);
}

template <class Kernel>
int RegionCalls<Kernel>::initialize_self_test(bool double_precision) {
    if (const char *const slower = slower_because()) throw JavaError(kIllegalState, slower);
    const int threads = used_threads(settings().threads);
    // Begins to start the GPU engine, while GATK itself starts.
    open(double_precision, threads, false);
    return open(double_precision, threads, true);
}

template <class Kernel>
int RegionCalls<Kernel>::initialize(bool double_precision, int threads,
                                    const std::string &replaced) {
    const int asked = settings().threads > 0 ? settings().threads : threads;
    // Also begins to start the GPU engine, whatever is logged.
    const int configuration = open(double_precision, used_threads(asked), false);
    wanted_threads_ = threads;
    calls_.announce([&] { log_start(double_precision, asked, replaced); });
    if (settings().log == LogLevel::kDebug)
        log_line(format("%s: a caller initialized: %s precision, %s", Kernel::kTexts.title,
                        double_precision ? "double" : "single",
                        plural(used_threads(asked), "thread").c_str()));
    return configuration;
}

template <class Kernel>
void RegionCalls<Kernel>::log_start(bool double_precision, int asked,
                                    const std::string &replaced) const {
    const std::string builds = gkl_shim_builds(), best = builds.substr(0, builds.find(' '));
    const std::string build = settings().build.empty() ? best : settings().build;
    const char *const asker = settings().threads > 0 ? "GKL_SHIM_THREADS" : "GATK";
    // GATK's own PDHMM class has no setting, and asks for the most there are.
    const std::string wanted = asked == std::numeric_limits<int>::max()
                                   ? "one a CPU"
                                   : format("%d asked for by %s", asked, asker);
    log_line(format("%s: %s, %s precision, %s (%s, %s); %s", Kernel::kTexts.title,
                    build_text(build).c_str(), double_precision ? "double" : "single",
                    plural(used_threads(asked), "thread").c_str(), wanted.c_str(),
                    plural(cpus_, "CPU").c_str(), replaced.c_str()));
    Kernel::log_devices();
}

template <class Kernel>
void RegionCalls<Kernel>::compute(JNIEnv *env, int configuration, const Region &region,
                                  jdoubleArray likelihoods,
                                  std::chrono::steady_clock::time_point start) {
    const auto not_open = []() -> Configuration * {
        throw JavaError(kIllegalState, kNotInitialized);
    };
    if (configuration < 0 || configuration >= 2 * (cpus_ + 1)) not_open();
    const Configuration &chosen = *configurations_.get(size_t(configuration), not_open);
    const int64_t pairs = pair_count(region);
    const jint room = env->GetArrayLength(likelihoods);
    if (room < pairs)
        throw JavaError(kIllegalArgument,
                        format("likelihoods has room for %d values, %lld reads x %lld haplotypes "
                               "need %lld",
                               int(room), (long long)region.pairs.region_reads[1],
                               (long long)region.pairs.region_haplotypes[1], (long long)pairs));
    if (!chosen.self_test) Kernel::check_threads(wanted_threads_);
    const KeptBuffers<Scratch, kKeptRegionBytes> kept(thread_scratch);
    std::vector<double> &buffer = (*kept).likelihoods;
    if (buffer.size() < size_t(pairs)) buffer.resize(size_t(pairs));
    double *const results = buffer.data();
    check(Kernel::compute(chosen.handle, region, results));
    env->SetDoubleArrayRegion(likelihoods, 0, jint(pairs), results);
    check(env);
    if (chosen.self_test) return;
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    account(chosen, region, results, elapsed.count());
}

template <class Kernel>
void RegionCalls<Kernel>::account(const Configuration &configuration, const Region &region,
                                  const double *likelihoods, double seconds) {
    const gkl_shim_pairhmm_batch &b = region.pairs;
    const int64_t reads = b.region_reads[1], haplotypes = b.region_haplotypes[1];
    calls_.account(
        reads * haplotypes, b.read_offsets[reads] * b.haplotype_offsets[haplotypes], seconds,
        [&](Recorder *recorder) { record(region, recorder); },
        [&] { return difference(configuration, region, likelihoods); });
}

template <class Kernel>
void RegionCalls<Kernel>::record(const Region &region, Recorder *recorder) {
    if (!recorder->recording()) return;
    std::string &text = thread_scratch->record;
    text.clear();
    Replaced replaced;
    append_region(region.pairs, region.haplotype_flags, &text, &replaced);
    if (!recorder->add(text)) return;
    replaced_quals_ += replaced.quals;
    replaced_letters_ += replaced.letters;
}

// Computes a region again with the portable build in double precision. Returns how the likelihoods
// differ, or "". Throws JavaError.
template <class Kernel>
std::string RegionCalls<Kernel>::difference(const Configuration &configuration,
                                            const Region &region, const double *likelihoods) {
    const gkl_shim_pairhmm_batch &b = region.pairs;
    std::vector<double> expected(size_t(pair_count(region)), 0.0);
    Handle *const portable = portable_.get(0, [&] {
        return Kernel::open(
            {configuration.threads, GKL_SHIM_DOUBLE, GKL_SHIM_AS_GKL, "portable", GKL_SHIM_CPU});
    });
    check(Kernel::compute(portable, region, expected.data()));
    return differences_.compare(
        b.region_reads[1], b.region_haplotypes[1], likelihoods, expected.data(), [&](int64_t read) {
            return Kernel::accepted(configuration.double_precision,
                                    b.read_offsets[read + 1] - b.read_offsets[read]);
        });
}

template <class Kernel>
ClosingDetails RegionCalls<Kernel>::details() {
    ClosingDetails details;
    const int64_t quals = replaced_quals_, letters = replaced_letters_;
    if (quals > 0)
        details.recording += format(" (%lld qualities above 93 written as 93)", (long long)quals);
    if (letters > 0)
        details.recording +=
            format(" (%lld letters other than ACGTN written as A, which gives other likelihoods)",
                   (long long)letters);
    details.verification = format("largest difference %.2g", differences_.largest());
    gkl_shim_pairhmm_stats sum = {};
    configurations_.for_each([&](const Configuration *each) {
        if (each->self_test) return;
        const gkl_shim_pairhmm_stats statistics = Kernel::statistics(each->handle);
        sum.rescued_pairs += statistics.rescued_pairs;
        sum.rescaled_pairs += statistics.rescaled_pairs;
        sum.cuda_pairs += statistics.cuda_pairs;
    });
    details.totals = Kernel::detail(sum);
    return details;
}

template class RegionCalls<PairHmmKernel>;
template class RegionCalls<PdhmmKernel>;

}  // namespace gkl_shim::jni

#include "region_calls.h"

#include <string.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "jni/guarded_jni.h"
#include "jni/kept_buffers.h"
#include "jni/packed_region.h"
#include "jni/recording/region_text.h"
#include "jni/settings/log.h"

namespace gkl_shim::jni {
namespace {

PerThread<PackedRegion> thread_region;

struct Scratch {
    std::vector<double> likelihoods;
    std::string record;

    size_t bytes() const { return capacity_bytes(likelihoods, record); }
};
PerThread<Scratch> thread_scratch;

}  // namespace

RegionCalls::RegionCalls(const CallTexts &texts, const std::string &record_file, void (*at_end)())
    : Calls(texts, record_file, "GKL_SHIM_RECORD", at_end), cpus_(gkl_shim_cpu_count()) {}

// Without fused multiply-add, the portable build is many times slower than Intel's code and than
// GATK's PDHMM in Java.
const char *RegionCalls::slower_because() {
#if defined(__x86_64__)
    if (settings().build.empty() && strcmp(gkl_shim_builds(), "portable") == 0)
        return "this CPU has no AVX2 with FMA, without which gkl-shim is slower";
#endif
    return nullptr;
}

int RegionCalls::initialize(bool double_precision, int threads, const char *replaced) {
    const char *const slower = replaced == nullptr ? slower_because() : nullptr;
    if (slower != nullptr) throw JavaError(kIllegalState, slower);
    const int asked = settings().threads > 0 ? settings().threads : threads;
    const int used = std::clamp(asked, 1, cpus_);
    const int configuration = (double_precision ? cpus_ + 1 : 0) + used;
    if (replaced == nullptr) return configuration;
    wanted_threads_ = threads;
    announce(configuration, asked, replaced);
    if (settings().log == LogLevel::kDebug)
        log_line(title() + format(": a caller initialized: %s precision, %s",
                                  double_precision ? "double" : "single",
                                  plural(used, "thread").c_str()));
    return configuration;
}

void RegionCalls::announce(int configuration, int asked, const char *replaced) {
    // Also begins to start the GPU engine, whatever is logged.
    if (!announced()) prepare(configuration);
    Calls::announce([&] {
        const std::string builds = gkl_shim_builds(), best = builds.substr(0, builds.find(' '));
        const std::string build = settings().build.empty() ? best : settings().build;
        const char *const asker = settings().threads > 0 ? "GKL_SHIM_THREADS" : "GATK";
        // GATK's own PDHMM class has no setting, and asks for the most there are.
        const std::string wanted = asked == std::numeric_limits<int>::max()
                                       ? "one a CPU"
                                       : format("%d asked for by %s", asked, asker);
        log_line(title() + format(": %s, %s precision, %s (%s, %s); %s", build_text(build).c_str(),
                                  is_double(configuration) ? "double" : "single",
                                  plural(threads_of(configuration), "thread").c_str(),
                                  wanted.c_str(), plural(cpus_, "CPU").c_str(), replaced));
        log_devices();
    });
}

void RegionCalls::compute(JNIEnv *env, int configuration, const Region &region,
                          jdoubleArray likelihoods, std::chrono::steady_clock::time_point start) {
    if (configuration < 1 || size_t(configuration) >= configurations() ||
        threads_of(configuration) == 0)
        throw JavaError(kIllegalState, "computeLikelihoods was called before initialize");
    const int64_t pairs = pair_count(region);
    const KeptBuffers<Scratch, kKeptRegionBytes> kept(thread_scratch);
    std::vector<double> &buffer = (*kept).likelihoods;
    if (buffer.size() < size_t(pairs)) buffer.resize(size_t(pairs));
    double *const results = buffer.data();
    compute_region(configuration, region, results);
    env->SetDoubleArrayRegion(likelihoods, 0, jint(pairs), results);
    check(env);
    if (!announced()) return;
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    account(configuration, region, results, elapsed.count());
}

void RegionCalls::account(int configuration, const Region &region, const double *likelihoods,
                          double seconds) {
    const gkl_shim_pairhmm_batch &b = region.pairs;
    const int64_t reads = b.region_reads[1], haplotypes = b.region_haplotypes[1];
    Calls::account(
        reads * haplotypes, b.read_offsets[reads] * b.haplotype_offsets[haplotypes], seconds,
        [&](Recorder *recorder) {
            if (!recorder->recording()) return;
            std::string &record = thread_scratch->record;
            record.clear();
            Replaced replaced;
            append_region(b, region.haplotype_flags, &record, &replaced);
            if (!recorder->add(record)) return;
            replaced_quals_ += replaced.quals;
            replaced_letters_ += replaced.letters;
        },
        [&] {
            std::vector<double> expected(size_t(reads * haplotypes), 0.0);
            compute_again(threads_of(configuration), region, expected.data());
            return differences_.compare(
                reads, haplotypes, likelihoods, expected.data(), [&](int64_t read) {
                    return accepted(configuration, b.read_offsets[read + 1] - b.read_offsets[read]);
                });
        });
}

int RegionCalls::initialize(JNIEnv *env, bool double_precision, int threads, jstring replaced) {
    if (replaced == nullptr) return initialize(double_precision, threads, nullptr);
    return initialize(double_precision, threads, text(env, replaced).c_str());
}

void RegionCalls::compute(JNIEnv *env, int haplotype_tracks, int configuration,
                          jbyteArray sequences, jintArray lengths, jint reads, jint haplotypes,
                          jdoubleArray likelihoods) {
    const auto start = std::chrono::steady_clock::now();
    const KeptBuffers<PackedRegion, kKeptRegionBytes> kept(thread_region);
    PackedRegion &packed = *kept;
    packed.copy(env, sequences, lengths, reads, haplotypes, haplotype_tracks);
    if (packed.pairs() > env->GetArrayLength(likelihoods))
        throw JavaError(kIllegalArgument, "output shorter than the pairs");
    compute(env, configuration,
            {packed.batch(), haplotype_tracks > 1 ? packed.haplotype_flags() : nullptr},
            likelihoods, start);
}

std::string RegionCalls::recording_detail() const {
    const int64_t quals = replaced_quals_, letters = replaced_letters_;
    std::string detail;
    if (quals > 0) detail += format(" (%lld qualities above 93 written as 93)", (long long)quals);
    if (letters > 0)
        detail +=
            format(" (%lld letters other than ACGTN written as A, which gives other likelihoods)",
                   (long long)letters);
    return detail;
}

std::string RegionCalls::verification_detail() {
    return format("largest difference %.2g", differences_.largest());
}

}  // namespace gkl_shim::jni

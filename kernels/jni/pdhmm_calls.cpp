#include "pdhmm_calls.h"

#include <algorithm>
#include <limits>

#include "guarded_jni.h"
#include "log.h"
#include "settings.h"

namespace gkl_shim {
namespace jni {
namespace {

void report_pdhmm() { PdhmmCalls::get().report(); }

}  // namespace

PdhmmCalls &PdhmmCalls::get() {
    static PdhmmCalls *const calls = new PdhmmCalls;
    return *calls;
}

PdhmmCalls::PdhmmCalls() : cpus_(gkl_shim_cpu_count()), handles_(size_t(cpus_) + 1) {}

int PdhmmCalls::initialize(int threads, const char *replaced) {
    const int asked = settings().threads > 0 ? settings().threads : threads;
    const int used = std::clamp(asked, 1, cpus_);
    if (replaced == nullptr || announced_.load(std::memory_order_acquire)) return used;
    const std::lock_guard<std::mutex> lock(announcing_);
    if (!announced_.load(std::memory_order_relaxed)) announce(used, asked, replaced);
    return used;
}

gkl_shim_pdhmm *PdhmmCalls::opened(std::atomic<gkl_shim_pdhmm *> *slot, int threads,
                                   const char *build) {
    gkl_shim_pdhmm *handle = slot->load(std::memory_order_acquire);
    if (handle != nullptr) return handle;
    const std::lock_guard<std::mutex> lock(opening_);
    handle = slot->load(std::memory_order_relaxed);
    if (handle != nullptr) return handle;
    gkl_shim_pdhmm_options options = {};
    options.threads = threads;
    options.conventions = GKL_SHIM_AS_GKL;
    options.build = build;
    check(gkl_shim_pdhmm_open(&options, &handle));
    slot->store(handle, std::memory_order_release);
    return handle;
}

gkl_shim_pdhmm *PdhmmCalls::handle(int threads) {
    if (threads < 1 || threads > cpus_)
        throw JavaError("java/lang/IllegalStateException",
                        "computeLikelihoods was called before initialize");
    const std::string &build = settings().build;
    return opened(&handles_[size_t(threads)], threads, build.empty() ? nullptr : build.c_str());
}

void PdhmmCalls::compute(int threads, const gkl_shim_pdhmm_batch &region, double *likelihoods) {
    const int64_t pairs = region.pairs.region_reads[1] * region.pairs.region_haplotypes[1];
    check(gkl_shim_pdhmm_compute(handle(threads), &region, likelihoods, pairs));
}

void PdhmmCalls::account(int threads, const gkl_shim_pdhmm_batch &region, const double *likelihoods,
                         double seconds) {
    if (!announced_.load(std::memory_order_acquire)) return;
    const gkl_shim_pairhmm_batch &b = region.pairs;
    const int64_t reads = b.region_reads[1], haplotypes = b.region_haplotypes[1];
    const int64_t number = totals_.add(
        reads * haplotypes, b.read_offsets[reads] * b.haplotype_offsets[haplotypes], seconds);
    if (recording_)
        without_failing("PDHMM: region", number, [&] {
            std::string text;
            recording_->add(b, region.haplotype_flags, &text);
        });
    if (settings().verify > 0 && number % settings().verify == 0)
        verification_.verify(number, reads, haplotypes, likelihoods, [&](double *expected) {
            check(gkl_shim_pdhmm_compute(opened(&reference_, threads, "portable"), &region,
                                         expected, reads * haplotypes));
        });
}

void PdhmmCalls::announce(int threads, int asked, const char *replaced) {
    log_setting_warnings();
    if (!settings().record.empty()) {
        recording_.reset(new RegionRecording(settings().record + ".pdhmm"));
        if (!recording_->open()) recording_.reset();
    }
    if (settings().log != LogLevel::kQuiet) {
        const char *const asker = settings().threads > 0 ? "GKL_SHIM_THREADS" : "GATK";
        // GATK's own class has no setting, and asks for the most there are.
        const std::string wanted = asked == std::numeric_limits<int>::max()
                                       ? "one a CPU"
                                       : format("%d asked for by %s", asked, asker);
        log_line(format("PDHMM: %s, double precision, %s (%s, %s); %s",
                        build_text(gkl_shim_pdhmm_build(handle(threads))).c_str(),
                        plural(threads, "thread").c_str(), wanted.c_str(),
                        plural(cpus_, "CPU").c_str(), replaced));
        if (recording_) log_line("PDHMM: every region is recorded to " + recording_->name());
        if (settings().verify > 0)
            log_line(format("PDHMM: one region in %lld is verified by the portable build",
                            (long long)settings().verify));
    }
    announced_.store(true, std::memory_order_release);
    at_process_end<report_pdhmm>();
}

void PdhmmCalls::report() {
    const bool quiet = settings().log == LogLevel::kQuiet;
    if (recording_) {
        const std::string line = recording_->finish();
        if (!line.empty() && !quiet) log_line("PDHMM: " + line);
    }
    if (settings().verify > 0) verification_.report();
    if (quiet) return;
    if (totals_.calls() == 0) return log_line("PDHMM: initialized, but no region was computed");
    int64_t rescued = 0;
    for (const auto &handle : handles_) {
        const gkl_shim_pdhmm *opened = handle.load(std::memory_order_acquire);
        if (opened == nullptr) continue;
        gkl_shim_pdhmm_stats statistics;
        gkl_shim_pdhmm_statistics(opened, &statistics);
        rescued += statistics.rescued_pairs;
    }
    std::string line = "PDHMM: " + totals_.line("region");
    if (rescued > 0) line += format("; %lld pairs computed a second time", (long long)rescued);
    log_line(line);
}

}  // namespace jni
}  // namespace gkl_shim

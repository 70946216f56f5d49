// What differs between the kernels that compute regions for Java, PairHMM and PDHMM. RegionCalls
// has what they share.
#pragma once

#include <stdint.h>

#include <string>

#include "calls.h"
#include "gkl_shim.h"

namespace gkl_shim::jni {

// A region of either kernel. PairHMM's has no flags: a null pointer.
typedef gkl_shim_pdhmm_batch Region;

inline int64_t pair_count(const Region &region) {
    return region.pairs.region_reads[1] * region.pairs.region_haplotypes[1];
}

struct PairHmmKernel {
    typedef gkl_shim_pairhmm Handle;

    static constexpr CallTexts kTexts = {"PairHMM",
                                         "region",
                                         "region",
                                         "GKL_SHIM_PAIRHMM",
                                         "in double precision by the portable build",
                                         "in double precision",
                                         "initialized, but no region was computed"};
    static constexpr const char *kRecordSuffix = "";  // of the file that GKL_SHIM_RECORD names
    static constexpr int kHaplotypeTracks = 1;

    // Throws JavaError.
    static Handle *open(const gkl_shim_pairhmm_options &options);
    static gkl_shim_status compute(Handle *handle, const Region &region, double *likelihoods) {
        return gkl_shim_pairhmm_compute(handle, &region.pairs, likelihoods, pair_count(region));
    }
    // Checks the number of threads that GATK asks for, before a region is computed.
    static void check_threads(int wanted);
    // Writes lines about devices to the log.
    static void log_devices();
    // Returns the largest difference that a log10 likelihood of a read of this length may have from
    // the portable build's in double precision.
    static double accepted(bool double_precision, int64_t read_length);
    static gkl_shim_pairhmm_stats statistics(const Handle *handle);
    // What the closing line says of the statistics of all handles.
    static std::string detail(const gkl_shim_pairhmm_stats &sum);
};

// It has double precision alone, and a second track of haplotypes: flags.
struct PdhmmKernel {
    typedef gkl_shim_pdhmm Handle;

    static constexpr CallTexts kTexts = {"PDHMM",
                                         "region",
                                         "region",
                                         "GKL_SHIM_PDHMM",
                                         "by the portable build",
                                         "in double precision",
                                         "initialized, but no region was computed"};
    static constexpr const char *kRecordSuffix = ".pdhmm";
    static constexpr int kHaplotypeTracks = 2;

    static Handle *open(const gkl_shim_pairhmm_options &options);
    static gkl_shim_status compute(Handle *handle, const Region &region, double *likelihoods) {
        return gkl_shim_pdhmm_compute(handle, &region, likelihoods, pair_count(region));
    }
    static void check_threads(int) {}
    static void log_devices() {}
    // All builds give the same bits.
    static double accepted(bool, int64_t) { return 0; }
    static gkl_shim_pairhmm_stats statistics(const Handle *handle);
    static std::string detail(const gkl_shim_pairhmm_stats &sum);
};

}  // namespace gkl_shim::jni

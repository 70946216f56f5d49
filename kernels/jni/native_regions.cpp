// The native methods of our classes org.gklshim.pairhmm.NativePairHmm and
// org.gklshim.pdhmm.NativePdhmm, which pass a region packed in two arrays.
#include <jni.h>

#include <vector>

#include "guarded_jni.h"
#include "jni/calls/region_calls.h"
#include "kept_buffers.h"

namespace gkl_shim::jni {
namespace {

// A copy of a region's arrays. A thread reuses it for its next region.
struct PackedRegion {
    std::vector<jint> lengths;
    std::vector<uint8_t> sequences;
    std::vector<int64_t> read_offsets, haplotype_offsets;

    size_t bytes() const {
        return capacity_bytes(lengths, sequences, read_offsets, haplotype_offsets);
    }
};
PerThread<PackedRegion> thread_region;

template <typename T>
T *at_least(std::vector<T> *buffer, size_t size) {
    if (buffer->size() < size) buffer->resize(size);
    return buffer->data();
}

// Writes `count` + 1 offsets and returns the last.
int64_t accumulate(const jint *lengths, jint count, int64_t *offsets) {
    offsets[0] = 0;
    for (jint i = 0; i < count; i++) {
        if (lengths[i] < 0) throw JavaError(kIllegalArgument, "negative length");
        offsets[i + 1] = offsets[i] + lengths[i];
    }
    return offsets[count];
}

// Copies all input. Using the arrays in place would block garbage collection for all threads while
// one of them computes.
//
// `sequences` holds the bases of all reads and their four quality tracks, one track after another,
// and then the tracks of all haplotypes. `lengths` holds the lengths of the reads and then of the
// haplotypes.
template <class Kernel>
void compute(JNIEnv *env, jint configuration, jbyteArray sequences, jintArray lengths, jint reads,
             jint haplotypes, jdoubleArray likelihoods) {
    const auto start = std::chrono::steady_clock::now();
    if (reads < 0 || haplotypes < 0 || reads > env->GetArrayLength(lengths) - haplotypes)
        throw JavaError(kIllegalArgument, "more sequences than lengths");
    const KeptBuffers<PackedRegion, kKeptRegionBytes> kept(thread_region);
    PackedRegion &copy = *kept;
    const jint sequence_count = reads + haplotypes;
    jint *const length = at_least(&copy.lengths, size_t(sequence_count));
    env->GetIntArrayRegion(lengths, 0, sequence_count, length);
    check(env);
    int64_t *const read_offsets = at_least(&copy.read_offsets, size_t(reads) + 1);
    int64_t *const haplotype_offsets = at_least(&copy.haplotype_offsets, size_t(haplotypes) + 1);
    const int64_t read_bytes = accumulate(length, reads, read_offsets);
    const int64_t haplotype_bytes = accumulate(length + reads, haplotypes, haplotype_offsets);
    const int64_t bytes = 5 * read_bytes + Kernel::kHaplotypeTracks * haplotype_bytes;
    if (bytes > env->GetArrayLength(sequences))
        throw JavaError(kIllegalArgument, "lengths beyond the sequences");
    uint8_t *const data = at_least(&copy.sequences, size_t(bytes));
    env->GetByteArrayRegion(sequences, 0, jint(bytes), reinterpret_cast<jbyte *>(data));
    check(env);

    const int64_t region_reads[] = {0, reads}, region_haplotypes[] = {0, haplotypes};
    const uint8_t *const haplotype_data = data + 5 * read_bytes;
    const Region region = {
        {1, region_reads, region_haplotypes, read_offsets, data, data + read_bytes,
         data + 2 * read_bytes, data + 3 * read_bytes, data + 4 * read_bytes, haplotype_offsets,
         haplotype_data},
        Kernel::kHaplotypeTracks > 1 ? haplotype_data + haplotype_bytes : nullptr};
    RegionCalls<Kernel>::get().compute(env, configuration, region, likelihoods, start);
}

// `replaced` is null for the self-test.
template <class Kernel>
jint initialize(JNIEnv *env, bool double_precision, jint threads, jstring replaced) {
    RegionCalls<Kernel> &calls = RegionCalls<Kernel>::get();
    if (replaced == nullptr) return calls.initialize_self_test(double_precision);
    return calls.initialize(double_precision, threads, text(env, replaced));
}

}  // namespace
}  // namespace gkl_shim::jni

using namespace gkl_shim::jni;

extern "C" {

JNIEXPORT jint JNICALL Java_org_gklshim_pairhmm_NativePairHmm_initialize(JNIEnv *env, jobject,
                                                                         jboolean double_precision,
                                                                         jint threads,
                                                                         jstring replaced) {
    return guarded_jni(env, "PairHMM", [&] {
        return initialize<PairHmmKernel>(env, double_precision == JNI_TRUE, threads, replaced);
    });
}

JNIEXPORT void JNICALL Java_org_gklshim_pairhmm_NativePairHmm_compute(
    JNIEnv *env, jobject, jint configuration, jbyteArray sequences, jintArray lengths, jint reads,
    jint haplotypes, jdoubleArray likelihoods) {
    guarded_jni(env, "PairHMM", [&] {
        compute<PairHmmKernel>(env, configuration, sequences, lengths, reads, haplotypes,
                               likelihoods);
    });
}

JNIEXPORT jint JNICALL Java_org_gklshim_pdhmm_NativePdhmm_initialize(JNIEnv *env, jobject, jboolean,
                                                                     jint threads,
                                                                     jstring replaced) {
    return guarded_jni(env, "PDHMM",
                       [&] { return initialize<PdhmmKernel>(env, true, threads, replaced); });
}

JNIEXPORT void JNICALL Java_org_gklshim_pdhmm_NativePdhmm_compute(
    JNIEnv *env, jobject, jint configuration, jbyteArray sequences, jintArray lengths, jint reads,
    jint haplotypes, jdoubleArray likelihoods) {
    guarded_jni(env, "PDHMM", [&] {
        compute<PdhmmKernel>(env, configuration, sequences, lengths, reads, haplotypes,
                             likelihoods);
    });
}

}  // extern "C"

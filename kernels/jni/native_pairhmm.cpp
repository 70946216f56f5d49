// The native methods of our class org.gklshim.pairhmm.NativePairHmm, which passes a region packed
// in two arrays.
#include <jni.h>

#include <chrono>
#include <limits>
#include <string>
#include <vector>

#include "common/per_thread.h"
#include "guarded_jni.h"
#include "pairhmm_calls.h"

namespace gkl_shim {
namespace jni {
namespace {

struct Scratch {
    std::vector<jint> lengths;
    std::vector<uint8_t> sequences;
    std::vector<int64_t> read_offsets, haplotype_offsets;
    PairHmmCalls::Scratch calls;
};
PerThread<Scratch> thread_scratch;

template <typename T>
T *at_least(std::vector<T> *buffer, size_t size) {
    if (buffer->size() < size) buffer->resize(size);
    return buffer->data();
}

// Writes `count` + 1 offsets and returns the last.
int64_t accumulate(const jint *lengths, jint count, int64_t *offsets) {
    offsets[0] = 0;
    for (jint i = 0; i < count; i++) {
        if (lengths[i] < 0)
            throw JavaError("java/lang/IllegalArgumentException", "negative length");
        offsets[i + 1] = offsets[i] + lengths[i];
    }
    return offsets[count];
}

// Copies all input and output. Using the arrays in place would block garbage collection for all
// threads while one of them computes.
void compute(JNIEnv *env, int configuration, jbyteArray sequences, jintArray lengths, jint reads,
             jint haplotypes, jdoubleArray likelihoods) {
    const auto start = std::chrono::steady_clock::now();
    Scratch &scratch = *thread_scratch;
    const jint sequence_count = reads + haplotypes;
    jint *length = at_least(&scratch.lengths, size_t(sequence_count));
    env->GetIntArrayRegion(lengths, 0, sequence_count, length);
    check(env);
    int64_t *read_offsets = at_least(&scratch.read_offsets, size_t(reads) + 1);
    int64_t *haplotype_offsets = at_least(&scratch.haplotype_offsets, size_t(haplotypes) + 1);
    const int64_t read_bytes = accumulate(length, reads, read_offsets);
    const int64_t bytes =
        5 * read_bytes + accumulate(length + reads, haplotypes, haplotype_offsets);
    if (bytes > std::numeric_limits<jint>::max())
        throw JavaError("java/lang/IllegalArgumentException", "lengths beyond the sequences");
    uint8_t *data = at_least(&scratch.sequences, size_t(bytes));
    env->GetByteArrayRegion(sequences, 0, jint(bytes), reinterpret_cast<jbyte *>(data));
    check(env);

    const int64_t region_reads[] = {0, reads}, region_haplotypes[] = {0, haplotypes};
    const gkl_shim_pairhmm_batch region = {1,
                                           region_reads,
                                           region_haplotypes,
                                           read_offsets,
                                           data,
                                           data + read_bytes,
                                           data + 2 * read_bytes,
                                           data + 3 * read_bytes,
                                           data + 4 * read_bytes,
                                           haplotype_offsets,
                                           data + 5 * read_bytes};
    const int64_t pairs = int64_t(reads) * haplotypes;
    if (pairs > env->GetArrayLength(likelihoods))
        throw JavaError("java/lang/IllegalArgumentException", "output shorter than the pairs");
    PairHmmCalls::get().compute(env, configuration, region, likelihoods, start, &scratch.calls);
}

std::string text(JNIEnv *env, jstring string) {
    const char *characters = env->GetStringUTFChars(string, nullptr);
    if (characters == nullptr) throw JavaPending();
    std::string text = characters;
    env->ReleaseStringUTFChars(string, characters);
    return text;
}

int initialize(JNIEnv *env, bool double_precision, int threads, jstring replaced) {
    const std::string what = replaced == nullptr ? "" : text(env, replaced);
    return PairHmmCalls::get().initialize(double_precision, threads,
                                          replaced == nullptr ? nullptr : what.c_str());
}

}  // namespace
}  // namespace jni
}  // namespace gkl_shim

extern "C" {

JNIEXPORT jint JNICALL Java_org_gklshim_pairhmm_NativePairHmm_initialize(JNIEnv *env, jobject,
                                                                         jboolean double_precision,
                                                                         jint threads,
                                                                         jstring replaced) {
    return gkl_shim::jni::guarded_jni(env, "PairHMM", [&] {
        return gkl_shim::jni::initialize(env, double_precision == JNI_TRUE, threads, replaced);
    });
}

JNIEXPORT void JNICALL Java_org_gklshim_pairhmm_NativePairHmm_compute(
    JNIEnv *env, jobject, jint configuration, jbyteArray sequences, jintArray lengths, jint reads,
    jint haplotypes, jdoubleArray likelihoods) {
    gkl_shim::jni::guarded_jni(env, "PairHMM", [&] {
        gkl_shim::jni::compute(env, configuration, sequences, lengths, reads, haplotypes,
                               likelihoods);
    });
}

}  // extern "C"

// The door of our own classes (org.gklshim.NativeEngine): a region comes packed in two arrays.
#include <jni.h>

#include <chrono>
#include <limits>

#include "common/floating_point_mode.h"
#include "common/per_thread.h"
#include "session.h"

namespace gkl_shim {
namespace jni {
namespace {

struct Scratch {
    std::vector<jint> lengths;
    std::vector<uint8_t> sequences;
    std::vector<int64_t> read_offsets, haplotype_offsets;
    std::vector<double> likelihoods;
    std::string text;
};
PerThread<Scratch> thread_scratch;

template <typename T>
T *at_least(std::vector<T> *buffer, size_t size) {
    if (buffer->size() < size) buffer->resize(size);
    return buffer->data();
}

// Fill in `count` + 1 offsets and return the last.
int64_t accumulate(const jint *lengths, jint count, int64_t *offsets) {
    offsets[0] = 0;
    for (jint i = 0; i < count; i++) {
        if (lengths[i] < 0)
            throw JavaError("java/lang/IllegalArgumentException", "negative length");
        offsets[i + 1] = offsets[i] + lengths[i];
    }
    return offsets[count];
}

// Everything is copied in and out: holding the arrays in place would hold up garbage collection
// for all threads while one of them computes.
void compute(JNIEnv *env, int configuration, jbyteArray sequences, jintArray lengths, jint reads,
             jint haplotypes, jdoubleArray likelihoods) {
    const auto start = std::chrono::steady_clock::now();
    Scratch &scratch = *thread_scratch;
    Session &session = Session::get();
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
    double *results = at_least(&scratch.likelihoods, size_t(pairs));
    session.compute(configuration, region, results);
    env->SetDoubleArrayRegion(likelihoods, 0, jint(pairs), results);
    check(env);
    if (session.accounting()) {
        const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
        session.account(configuration, region, results, elapsed.count(), &scratch.text);
    }
}

}  // namespace
}  // namespace jni
}  // namespace gkl_shim

extern "C" {

// The same for every door, GKL's classes too: they load this file as if it were their own.
JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *machine, void *) {
    void *env = nullptr;
    if (machine->GetEnv(&env, JNI_VERSION_1_8) != JNI_OK) return JNI_ERR;
    try {
        gkl_shim::jni::Session::get().configure(
            gkl_shim::jni::Settings::read(static_cast<JNIEnv *>(env)));
    } catch (...) {
        return JNI_ERR;
    }
    return JNI_VERSION_1_8;
}

JNIEXPORT jint JNICALL Java_org_gklshim_NativeEngine_initialize(JNIEnv *env, jobject,
                                                                jboolean double_precision,
                                                                jint threads, jstring swap) {
    try {
        std::string text;
        if (swap != nullptr) {
            const char *characters = env->GetStringUTFChars(swap, nullptr);
            if (characters == nullptr) throw gkl_shim::jni::JavaPending();
            text = characters;
            env->ReleaseStringUTFChars(swap, characters);
        }
        return gkl_shim::jni::Session::get().initialize(double_precision == JNI_TRUE, threads,
                                                        swap != nullptr ? text.c_str() : nullptr);
    } catch (...) {
        gkl_shim::jni::raise(env);
        return -1;
    }
}

JNIEXPORT void JNICALL Java_org_gklshim_NativeEngine_compute(
    JNIEnv *env, jobject, jint configuration, jbyteArray sequences, jintArray lengths, jint reads,
    jint haplotypes, jdoubleArray likelihoods) {
    const gkl_shim::FloatingPointMode mode;
    try {
        gkl_shim::jni::compute(env, configuration, sequences, lengths, reads, haplotypes,
                               likelihoods);
    } catch (...) {
        gkl_shim::jni::raise(env);
    }
}

}  // extern "C"

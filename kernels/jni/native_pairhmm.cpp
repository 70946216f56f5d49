// The native methods of our class org.gklshim.pairhmm.NativePairHmm, which passes a region packed
// in two arrays.
#include <jni.h>

#include <chrono>
#include <string>

#include "common/per_thread.h"
#include "guarded_jni.h"
#include "packed_region.h"
#include "pairhmm_calls.h"

namespace gkl_shim {
namespace jni {
namespace {

struct Scratch {
    PackedRegion region;
    PairHmmCalls::Scratch calls;
};
PerThread<Scratch> thread_scratch;

void compute(JNIEnv *env, int configuration, jbyteArray sequences, jintArray lengths, jint reads,
             jint haplotypes, jdoubleArray likelihoods) {
    const auto start = std::chrono::steady_clock::now();
    Scratch &scratch = *thread_scratch;
    scratch.region.take(env, sequences, lengths, reads, haplotypes, 1);
    if (scratch.region.pairs() > env->GetArrayLength(likelihoods))
        throw JavaError("java/lang/IllegalArgumentException", "output shorter than the pairs");
    PairHmmCalls::get().compute(env, configuration, scratch.region.batch(), likelihoods, start,
                                &scratch.calls);
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

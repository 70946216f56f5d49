// The native methods of our classes org.gklshim.pairhmm.NativePairHmm and
// org.gklshim.pdhmm.NativePdhmm, which pass a region packed in two arrays. PDHMM has double
// precision alone, and a second track of haplotypes: flags.
#include <jni.h>

#include "guarded_jni.h"
#include "jni/calls/pairhmm_calls.h"
#include "jni/calls/pdhmm_calls.h"

using gkl_shim::jni::guarded_jni;
using gkl_shim::jni::PairHmmCalls;
using gkl_shim::jni::PdhmmCalls;

extern "C" {

JNIEXPORT jint JNICALL Java_org_gklshim_pairhmm_NativePairHmm_initialize(JNIEnv *env, jobject,
                                                                         jboolean double_precision,
                                                                         jint threads,
                                                                         jstring replaced) {
    return guarded_jni(env, "PairHMM", [&] {
        return PairHmmCalls::get().initialize(env, double_precision == JNI_TRUE, threads, replaced);
    });
}

JNIEXPORT void JNICALL Java_org_gklshim_pairhmm_NativePairHmm_compute(
    JNIEnv *env, jobject, jint configuration, jbyteArray sequences, jintArray lengths, jint reads,
    jint haplotypes, jdoubleArray likelihoods) {
    guarded_jni(env, "PairHMM", [&] {
        PairHmmCalls::get().compute(env, 1, configuration, sequences, lengths, reads, haplotypes,
                                    likelihoods);
    });
}

JNIEXPORT jint JNICALL Java_org_gklshim_pdhmm_NativePdhmm_initialize(JNIEnv *env, jobject, jboolean,
                                                                     jint threads,
                                                                     jstring replaced) {
    return guarded_jni(env, "PDHMM",
                       [&] { return PdhmmCalls::get().initialize(env, true, threads, replaced); });
}

JNIEXPORT void JNICALL Java_org_gklshim_pdhmm_NativePdhmm_compute(
    JNIEnv *env, jobject, jint configuration, jbyteArray sequences, jintArray lengths, jint reads,
    jint haplotypes, jdoubleArray likelihoods) {
    guarded_jni(env, "PDHMM", [&] {
        PdhmmCalls::get().compute(env, 2, configuration, sequences, lengths, reads, haplotypes,
                                  likelihoods);
    });
}

}  // extern "C"

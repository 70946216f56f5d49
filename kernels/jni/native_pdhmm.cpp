// The native methods of our class org.gklshim.pdhmm.NativePdhmm, which passes a region packed in
// two arrays.
#include <jni.h>

#include <chrono>
#include <string>
#include <vector>

#include "common/per_thread.h"
#include "guarded_jni.h"
#include "packed_region.h"
#include "pdhmm_calls.h"

namespace gkl_shim {
namespace jni {
namespace {

struct Scratch {
    PackedRegion region;
    std::vector<double> likelihoods;
};
PerThread<Scratch> thread_scratch;

void compute(JNIEnv *env, int threads, jbyteArray sequences, jintArray lengths, jint reads,
             jint haplotypes, jdoubleArray likelihoods) {
    const auto start = std::chrono::steady_clock::now();
    Scratch &scratch = *thread_scratch;
    scratch.region.take(env, sequences, lengths, reads, haplotypes, 2);
    const int64_t pairs = scratch.region.pairs();
    if (pairs > env->GetArrayLength(likelihoods))
        throw JavaError("java/lang/IllegalArgumentException", "output shorter than the pairs");
    const gkl_shim_pdhmm_batch region = {scratch.region.batch(), scratch.region.haplotype_flags()};
    if (scratch.likelihoods.size() < size_t(pairs)) scratch.likelihoods.resize(size_t(pairs));
    PdhmmCalls &calls = PdhmmCalls::get();
    calls.compute(threads, region, scratch.likelihoods.data());
    env->SetDoubleArrayRegion(likelihoods, 0, jint(pairs), scratch.likelihoods.data());
    check(env);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    calls.account(threads, region, scratch.likelihoods.data(), elapsed.count());
}

int initialize(JNIEnv *env, int threads, jstring replaced) {
    const std::string what = replaced == nullptr ? "" : text(env, replaced);
    return PdhmmCalls::get().initialize(threads, replaced == nullptr ? nullptr : what.c_str());
}

}  // namespace
}  // namespace jni
}  // namespace gkl_shim

extern "C" {

JNIEXPORT jint JNICALL Java_org_gklshim_pdhmm_NativePdhmm_initialize(JNIEnv *env, jobject,
                                                                     jint threads,
                                                                     jstring replaced) {
    return gkl_shim::jni::guarded_jni(
        env, "PDHMM", [&] { return gkl_shim::jni::initialize(env, threads, replaced); });
}

JNIEXPORT void JNICALL Java_org_gklshim_pdhmm_NativePdhmm_compute(
    JNIEnv *env, jobject, jint configuration, jbyteArray sequences, jintArray lengths, jint reads,
    jint haplotypes, jdoubleArray likelihoods) {
    gkl_shim::jni::guarded_jni(env, "PDHMM", [&] {
        gkl_shim::jni::compute(env, configuration, sequences, lengths, reads, haplotypes,
                               likelihoods);
    });
}

}  // extern "C"

// The native methods of our class org.gklshim.smithwaterman.NativeSmithWaterman.
#include <jni.h>

#include <chrono>

#include "common/memory/buffer.h"
#include "guarded_jni.h"
#include "jni/calls/smithwaterman_calls.h"

namespace gkl_shim::jni {
namespace {

// Copies all input and output. Using the arrays in place would block garbage collection for all
// threads while one of them computes.
jlong align(JNIEnv *env, jbyteArray reference, jbyteArray alternative,
            const gkl_shim_smithwaterman_parameters &parameters, jbyteArray cigar) {
    const auto start = std::chrono::steady_clock::now();
    const int64_t n = env->GetArrayLength(reference), m = env->GetArrayLength(alternative);
    const Buffer<uint8_t> letters(n + m);
    const Buffer<char> text(2 * (n + m));
    jbyte *const bytes = reinterpret_cast<jbyte *>(letters.data());
    env->GetByteArrayRegion(reference, 0, jsize(n), bytes);
    env->GetByteArrayRegion(alternative, 0, jsize(m), bytes + n);
    check(env);

    const int64_t reference_offsets[] = {0, n}, alternative_offsets[] = {0, m};
    const gkl_shim_smithwaterman_batch pair = {1, reference_offsets, letters.data(),
                                               alternative_offsets, letters.data() + n};
    int64_t offset = 0, cigar_offsets[2];
    SmithWatermanCalls &calls = SmithWatermanCalls::get();
    calls.align(pair, parameters, &offset, cigar_offsets, text.data(), text.size());
    env->SetByteArrayRegion(cigar, 0, jsize(cigar_offsets[1]),
                            reinterpret_cast<const jbyte *>(text.data()));
    check(env);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    calls.account(pair, parameters, offset, text.data(), cigar_offsets[1], elapsed.count());
    return jlong(uint64_t(offset) << 32 | uint64_t(cigar_offsets[1]));
}

}  // namespace
}  // namespace gkl_shim::jni

extern "C" {

JNIEXPORT void JNICALL Java_org_gklshim_smithwaterman_NativeSmithWaterman_announce(
    JNIEnv *env, jobject, jstring replaced) {
    gkl_shim::jni::guarded_jni(env, "Smith-Waterman", [&] {
        gkl_shim::jni::SmithWatermanCalls::get().announce(gkl_shim::jni::text(env, replaced));
    });
}

JNIEXPORT jlong JNICALL Java_org_gklshim_smithwaterman_NativeSmithWaterman_align(
    JNIEnv *env, jobject, jbyteArray reference, jbyteArray alternative, jint match, jint mismatch,
    jint gap_open, jint gap_extend, jint overhang, jbyteArray cigar) {
    return gkl_shim::jni::guarded_jni(env, "Smith-Waterman", [&] {
        return gkl_shim::jni::align(env, reference, alternative,
                                    {match, mismatch, gap_open, gap_extend, overhang}, cigar);
    });
}

}  // extern "C"

// The native methods of our class org.gklshim.smithwaterman.NativeSmithWaterman.
#include <jni.h>

#include <chrono>
#include <vector>

#include "guarded_jni.h"
#include "jni/calls/smithwaterman_calls.h"
#include "kept_buffers.h"

namespace gkl_shim::jni {
namespace {

// Larger buffers of a thread are freed after use.
constexpr size_t kKeptBytes = size_t(3) << 16;

struct Scratch {
    std::vector<uint8_t> letters;
    std::vector<char> cigar;

    size_t bytes() const { return capacity_bytes(letters, cigar); }
};
PerThread<Scratch> thread_scratch;

// Copies all input and output. Using the arrays in place would block garbage collection for all
// threads while one of them computes.
jlong align(JNIEnv *env, jbyteArray reference, jbyteArray alternative,
            const gkl_shim_smithwaterman_parameters &parameters, jbyteArray cigar) {
    const auto start = std::chrono::steady_clock::now();
    const int64_t n = env->GetArrayLength(reference), m = env->GetArrayLength(alternative);
    const size_t letters = size_t(n + m);
    const KeptBuffers<Scratch, kKeptBytes> kept(thread_scratch);
    Scratch &scratch = *kept;
    // Separately, because there may be memory for only one of them.
    if (scratch.cigar.size() < 2 * letters) scratch.cigar.resize(2 * letters);
    if (scratch.letters.size() < letters) scratch.letters.resize(letters);
    jbyte *const bytes = reinterpret_cast<jbyte *>(scratch.letters.data());
    env->GetByteArrayRegion(reference, 0, jsize(n), bytes);
    env->GetByteArrayRegion(alternative, 0, jsize(m), bytes + n);
    check(env);

    const int64_t reference_offsets[] = {0, n}, alternative_offsets[] = {0, m};
    const gkl_shim_smithwaterman_batch pair = {1, reference_offsets, scratch.letters.data(),
                                               alternative_offsets, scratch.letters.data() + n};
    int64_t offset = 0, cigar_offsets[2];
    SmithWatermanCalls &calls = SmithWatermanCalls::get();
    calls.align(pair, parameters, &offset, cigar_offsets, scratch.cigar.data(),
                int64_t(2 * letters));
    env->SetByteArrayRegion(cigar, 0, jsize(cigar_offsets[1]),
                            reinterpret_cast<const jbyte *>(scratch.cigar.data()));
    check(env);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    calls.account(pair, parameters, offset, scratch.cigar.data(), cigar_offsets[1],
                  elapsed.count());
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

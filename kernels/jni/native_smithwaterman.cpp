// The native methods of our class org.gklshim.smithwaterman.NativeSmithWaterman.
#include <jni.h>

#include <chrono>
#include <vector>

#include "gkl_shim_internal.h"
#include "guarded_jni.h"
#include "jni/calls/calls.h"
#include "jni/calls/handle_cache.h"
#include "kept_buffers.h"

namespace gkl_shim::jni {
namespace {

constexpr CallTexts kTexts = {"Smith-Waterman",
                              "alignment",
                              "pair",
                              "GKL_SHIM_SMITHWATERMAN",
                              "with Java's arithmetic",
                              "with Java's arithmetic",
                              "loaded, but nothing was aligned"};

// Larger buffers of a thread are freed after use.
constexpr size_t kKeptBytes = size_t(3) << 16;

struct Scratch {
    std::vector<uint8_t> letters;
    std::vector<char> cigar;

    size_t bytes() const { return capacity_bytes(letters, cigar); }
};
PerThread<Scratch> thread_scratch;

Calls &calls() {
    static Calls *const calls =
        new Calls(kTexts, settings().record_smithwaterman, "GKL_SHIM_RECORD_SMITHWATERMAN",
                  [] { jni::calls().report([] { return ClosingDetails(); }); });
    return *calls;
}

gkl_shim_smithwaterman *handle() {
    static HandleCache<gkl_shim_smithwaterman> *const handles =
        new HandleCache<gkl_shim_smithwaterman>(1);
    return handles->get(0, [] {
        const gkl_shim_smithwaterman_options options = {1, chosen_build()};
        gkl_shim_smithwaterman *handle;
        check(gkl_shim_smithwaterman_open(&options, &handle));
        return handle;
    });
}

// A line in the format of `gkl-shim smithwaterman`: both sequences, the scores and the strategy.
std::string record(const gkl_shim_smithwaterman_batch &pair,
                   const gkl_shim_smithwaterman_parameters &p) {
    std::string line;
    const auto append = [&](const uint8_t *letters, int64_t count) {
        for (int64_t k = 0; k < count; k++)
            // A byte that would end the field becomes one that no letter is equal to.
            line += letters[k] == '\t' || letters[k] == '\n' || letters[k] == '\r'
                        ? '\v'
                        : char(letters[k]);
    };
    append(pair.references, pair.reference_offsets[1]);
    line += '\t';
    append(pair.alternatives, pair.alternative_offsets[1]);
    const char *const strategies[] = {"softclip", "indel", "leading_indel", "ignore"};
    line += format("\t%d,%d,%d,%d\t%s\n", int(p.match), int(p.mismatch), int(p.gap_open),
                   int(p.gap_extend), strategies[p.overhang]);
    return line;
}

// Aligns once more with Java's arithmetic, and returns how the alignments differ, or "". Throws
// JavaError.
std::string difference(const gkl_shim_smithwaterman_batch &pair,
                       const gkl_shim_smithwaterman_parameters &parameters, int64_t offset,
                       const std::string &cigar) {
    const int64_t letters = pair.reference_offsets[1] + pair.alternative_offsets[1];
    std::vector<char> text(size_t(2 * letters));
    int64_t expected_offset = 0, ends[2] = {};
    check(gkl_shim_smithwaterman_align_exactly(handle(), &pair, &parameters, &expected_offset, ends,
                                               text.data(), int64_t(text.size())));
    const std::string expected(text.data(), size_t(ends[1]));
    if (offset == expected_offset && cigar == expected) return "";
    return format("%s at %lld, but Java's arithmetic gives %s at %lld", cigar.c_str(),
                  (long long)offset, expected.c_str(), (long long)expected_offset);
}

// The first call logs what has been replaced and how, such as "Intel GKL replaced (agent)". Later
// alignments are accounted for; those before are the self-test's.
void announce(const std::string &replaced) {
    calls().announce([&] {
        log_line("Smith-Waterman: " + build_text(gkl_shim_smithwaterman_build(handle())) + "; " +
                 replaced);
    });
}

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
    const char *const written = scratch.cigar.data();
    int64_t offset = 0, ends[2];
    check(gkl_shim_smithwaterman_align(handle(), &pair, &parameters, &offset, ends,
                                       scratch.cigar.data(), int64_t(2 * letters)));
    env->SetByteArrayRegion(cigar, 0, jsize(ends[1]), reinterpret_cast<const jbyte *>(written));
    check(env);
    if (calls().announced()) {
        const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
        calls().account(
            1, n * m, elapsed.count(),
            [&](Recorder *recorder) { recorder->add(record(pair, parameters)); },
            [&] {
                return difference(pair, parameters, offset, std::string(written, size_t(ends[1])));
            });
    }
    return jlong(uint64_t(offset) << 32 | uint64_t(ends[1]));
}

}  // namespace
}  // namespace gkl_shim::jni

extern "C" {

JNIEXPORT void JNICALL Java_org_gklshim_smithwaterman_NativeSmithWaterman_announce(
    JNIEnv *env, jobject, jstring replaced) {
    gkl_shim::jni::guarded_jni(env, "Smith-Waterman", [&] {
        gkl_shim::jni::announce(gkl_shim::jni::text(env, replaced));
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

// The native methods of Intel GKL's own, unmodified class com.intel.gkl.pairhmm.IntelPairHmm, for
// the library-path swap. IntelPairHmmOMP inherits them.
#include <jni.h>

#include <array>
#include <atomic>
#include <chrono>
#include <vector>

#include "guarded_jni.h"
#include "jni/calls/region_calls.h"
#include "kept_buffers.h"

namespace gkl_shim::jni {
namespace {

// The fields of GATK's data holders, each a byte array.
constexpr const char *kReadTracks[] = {"readBases", "readQuals", "insertionGOP", "deletionGOP",
                                       "overallGCP"};
constexpr const char *kHaplotypeTracks[] = {"haplotypeBases"};

template <size_t N>
using FieldIds = std::array<jfieldID, N>;

template <size_t N>
FieldIds<N> find(JNIEnv *env, jclass holder, const char *const (&names)[N]) {
    FieldIds<N> ids;
    for (size_t i = 0; i < N; i++) {
        ids[i] = env->GetFieldID(holder, names[i], "[B");
        if (ids[i] != nullptr) continue;
        env->ExceptionClear();
        throw JavaError(kIllegalArgument,
                        format("the data holder has no field byte[] %s", names[i]));
    }
    return ids;
}

// Their IDs are valid as long as the holders' classes.
struct Fields {
    FieldIds<5> read;
    FieldIds<1> haplotype;
};

// initNative finds them. Another class loader may load this library after the first one is gone;
// its classes have other fields. As in GKL, the last configuration applies to all callers.
std::atomic<const Fields *> fields{nullptr};
std::atomic<int> configuration{0};

void initialize(JNIEnv *env, jclass read_holder, jclass haplotype_holder, bool double_precision,
                int threads) {
    if (read_holder == nullptr || haplotype_holder == nullptr)
        throw JavaError(kNullPointer, "a data holder's class is null");
    const Fields found = {find(env, read_holder, kReadTracks),
                          find(env, haplotype_holder, kHaplotypeTracks)};
    const Fields *const known = fields.load(std::memory_order_acquire);
    // The earlier ones are not freed, because a thread may use them.
    if (known == nullptr || known->read != found.read || known->haplotype != found.haplotype)
        fields.store(new Fields(found), std::memory_order_release);
    static std::atomic<bool> told{false};
    const char *const slower = slower_because();
    if (slower != nullptr && !told.exchange(true))
        log_warning(format("PairHMM: %s than Intel's; do without --swap library-path", slower));
    configuration = RegionCalls<PairHmmKernel>::get().initialize(
        double_precision, threads, "Intel GKL replaced (library path)");
}

// A copy of the tracks of reads or haplotypes, and where each sequence ends in all of them.
template <size_t N>
struct Sequences {
    std::vector<uint8_t> tracks[N];
    std::vector<int64_t> offsets;

    size_t bytes() const {
        size_t sum = capacity_bytes(offsets);
        for (const std::vector<uint8_t> &track : tracks) sum += capacity_bytes(track);
        return sum;
    }
};

// A copy of a region. A thread reuses it for its next region.
struct RegionCopy {
    Sequences<5> reads;
    Sequences<1> haplotypes;

    size_t bytes() const { return reads.bytes() + haplotypes.bytes(); }
};
PerThread<RegionCopy> thread_copy;

// Deletes a local reference at the end of its scope. The JVM would keep it until the call returns.
template <typename T>
class Local {
   public:
    Local(JNIEnv *env, jobject reference) : env_(env), reference_(static_cast<T>(reference)) {}
    ~Local() { env_->DeleteLocalRef(reference_); }
    Local(const Local &) = delete;
    Local &operator=(const Local &) = delete;
    T get() const { return reference_; }

   private:
    JNIEnv *env_;
    T reference_;
};

// Appends the bytes of a field to `to` and returns their number. `kind`, `index` and `name` are for
// the error message.
jint append(JNIEnv *env, jobject holder, jfieldID id, const char *kind, jint index,
            const char *name, std::vector<uint8_t> *to) {
    const Local<jbyteArray> array(env, env->GetObjectField(holder, id));
    if (array.get() == nullptr)
        throw JavaError(kNullPointer, format("%s %d: %s is null", kind, int(index), name));
    const jint length = env->GetArrayLength(array.get());
    const size_t start = to->size();
    to->resize(start + size_t(length));
    env->GetByteArrayRegion(array.get(), 0, length, reinterpret_cast<jbyte *>(to->data() + start));
    check(env);
    return length;
}

jobject element(JNIEnv *env, jobjectArray array, const char *kind, jint index) {
    jobject holder = env->GetObjectArrayElement(array, index);
    check(env);
    if (holder == nullptr) throw JavaError(kNullPointer, format("%s %d is null", kind, int(index)));
    return holder;
}

// Copies sequences. Region.java does this for our own classes, with the same checks and texts.
template <size_t N>
void copy(JNIEnv *env, jobjectArray holders, const char *kind, const char *const (&names)[N],
          const FieldIds<N> &ids, Sequences<N> *to) {
    for (std::vector<uint8_t> &track : to->tracks) track.clear();
    to->offsets.assign(1, 0);
    const jint count = env->GetArrayLength(holders);
    for (jint k = 0; k < count; k++) {
        const Local<jobject> holder(env, element(env, holders, kind, k));
        jint bases = 0;
        for (size_t i = 0; i < N; i++) {
            const jint length =
                append(env, holder.get(), ids[i], kind, k, names[i], &to->tracks[i]);
            if (i == 0) bases = length;
            if (bases == 0)
                throw JavaError(kIllegalArgument, format("%s %d has no bases", kind, int(k)));
            if (length != bases)
                throw JavaError(kIllegalArgument,
                                format("%s %d: %s has %d values for %d bases", kind, int(k),
                                       names[i], int(length), int(bases)));
        }
        to->offsets.push_back(int64_t(to->tracks[0].size()));
    }
}

void compute(JNIEnv *env, jobjectArray reads, jobjectArray haplotypes, jdoubleArray likelihoods) {
    const auto start = std::chrono::steady_clock::now();
    const Fields *ids = fields.load(std::memory_order_acquire);
    if (ids == nullptr) throw JavaError(kIllegalState, kNotInitialized);
    if (reads == nullptr || haplotypes == nullptr || likelihoods == nullptr)
        throw JavaError(kNullPointer, "reads, haplotypes or likelihoods is null");
    const jint read_count = env->GetArrayLength(reads);
    const jint haplotype_count = env->GetArrayLength(haplotypes);
    if (read_count == 0 || haplotype_count == 0) return;
    const KeptBuffers<RegionCopy, kKeptRegionBytes> kept(thread_copy);
    Sequences<5> &read = (*kept).reads;
    Sequences<1> &haplotype = (*kept).haplotypes;
    copy(env, reads, "read", kReadTracks, ids->read, &read);
    copy(env, haplotypes, "haplotype", kHaplotypeTracks, ids->haplotype, &haplotype);
    const int64_t region_reads[] = {0, read_count}, region_haplotypes[] = {0, haplotype_count};
    const gkl_shim_pairhmm_batch region = {1,
                                           region_reads,
                                           region_haplotypes,
                                           read.offsets.data(),
                                           read.tracks[0].data(),
                                           read.tracks[1].data(),
                                           read.tracks[2].data(),
                                           read.tracks[3].data(),
                                           read.tracks[4].data(),
                                           haplotype.offsets.data(),
                                           haplotype.tracks[0].data()};
    RegionCalls<PairHmmKernel>::get().compute(env, configuration, {region, nullptr}, likelihoods,
                                              start);
}

}  // namespace
}  // namespace gkl_shim::jni

extern "C" {

JNIEXPORT void JNICALL Java_com_intel_gkl_pairhmm_IntelPairHmm_initNative(JNIEnv *env, jclass,
                                                                          jclass read_holder,
                                                                          jclass haplotype_holder,
                                                                          jboolean double_precision,
                                                                          jint threads) {
    gkl_shim::jni::guarded_jni(env, "PairHMM", [&] {
        gkl_shim::jni::initialize(env, read_holder, haplotype_holder, double_precision == JNI_TRUE,
                                  threads);
    });
}

JNIEXPORT void JNICALL Java_com_intel_gkl_pairhmm_IntelPairHmm_computeLikelihoodsNative(
    JNIEnv *env, jobject, jobjectArray reads, jobjectArray haplotypes, jdoubleArray likelihoods) {
    gkl_shim::jni::guarded_jni(
        env, "PairHMM", [&] { gkl_shim::jni::compute(env, reads, haplotypes, likelihoods); });
}

// Does nothing: all callers of the process share the handles, and others may still compute.
JNIEXPORT void JNICALL Java_com_intel_gkl_pairhmm_IntelPairHmm_doneNative(JNIEnv *, jobject) {}

}  // extern "C"

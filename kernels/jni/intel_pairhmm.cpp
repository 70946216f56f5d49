// The native methods of Intel GKL's own, unmodified class com.intel.gkl.pairhmm.IntelPairHmm, for
// the library-path swap. IntelPairHmmOMP inherits them.
#include <jni.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <vector>

#include "guarded_jni.h"
#include "jni/calls/pairhmm_calls.h"
#include "jni/settings/log.h"
#include "kept_buffers.h"

namespace gkl_shim::jni {
namespace {

enum Track { kBases, kQuals, kInsertion, kDeletion, kContinuation, kTracks };
constexpr const char *kTrackNames[kTracks] = {"readBases", "readQuals", "insertionGOP",
                                              "deletionGOP", "overallGCP"};

jfieldID field(JNIEnv *env, jclass holder, const char *name) {
    const jfieldID id = env->GetFieldID(holder, name, "[B");
    if (id == nullptr) {
        env->ExceptionClear();
        throw JavaError(kIllegalArgument, format("the data holder has no field byte[] %s", name));
    }
    return id;
}

// The fields of GATK's data holders. Their IDs are valid as long as these classes.
struct Fields {
    Fields(JNIEnv *env, jclass read_holder, jclass haplotype_holder) {
        for (int i = 0; i < kTracks; i++) tracks[i] = field(env, read_holder, kTrackNames[i]);
        haplotype_bases = field(env, haplotype_holder, "haplotypeBases");
    }

    bool operator==(const Fields &other) const {
        return std::equal(tracks, tracks + kTracks, other.tracks) &&
               haplotype_bases == other.haplotype_bases;
    }

    jfieldID tracks[kTracks], haplotype_bases;
};

// initNative finds them. Another class loader may load this library after the first one is gone;
// its classes have other fields. As in GKL, the last configuration applies to all callers.
std::atomic<const Fields *> fields{nullptr};
std::atomic<int> configuration{0};

void initialize(JNIEnv *env, jclass read_holder, jclass haplotype_holder, bool double_precision,
                int threads) {
    if (read_holder == nullptr || haplotype_holder == nullptr)
        throw JavaError(kNullPointer, "a data holder's class is null");
    const Fields found(env, read_holder, haplotype_holder);
    const Fields *const known = fields.load(std::memory_order_acquire);
    // The earlier ones are not freed, because a thread may use them.
    if (known == nullptr || !(*known == found))
        fields.store(new Fields(found), std::memory_order_release);
    static std::atomic<bool> told{false};
    const char *const slower = RegionCalls::slower_because();
    if (slower != nullptr && !told.exchange(true))
        log_warning(format("PairHMM: %s than Intel's; do without --swap library-path", slower));
    configuration = PairHmmCalls::get().initialize(double_precision, threads,
                                                   "Intel GKL replaced (library path)");
}

// A copy of a region. A thread reuses it for its next region.
struct RegionCopy {
    std::vector<uint8_t> tracks[kTracks], haplotypes;
    std::vector<int64_t> read_offsets, haplotype_offsets;

    size_t bytes() const {
        size_t sum = capacity_bytes(haplotypes, read_offsets, haplotype_offsets);
        for (const std::vector<uint8_t> &track : tracks) sum += capacity_bytes(track);
        return sum;
    }
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

void copy_reads(JNIEnv *env, jobjectArray reads, const Fields &ids, RegionCopy *copy) {
    for (std::vector<uint8_t> &track : copy->tracks) track.clear();
    copy->read_offsets.assign(1, 0);
    const jint count = env->GetArrayLength(reads);
    for (jint r = 0; r < count; r++) {
        const Local<jobject> read(env, element(env, reads, "read", r));
        jint bases = 0;
        for (int i = 0; i < kTracks; i++) {
            const jint length =
                append(env, read.get(), ids.tracks[i], "read", r, kTrackNames[i], &copy->tracks[i]);
            if (i == kBases) {
                bases = length;
                if (bases == 0)
                    throw JavaError(kIllegalArgument, format("read %d has no bases", int(r)));
            }
            if (length != bases)
                throw JavaError(kIllegalArgument,
                                format("read %d: %s has %d values for %d bases", int(r),
                                       kTrackNames[i], int(length), int(bases)));
        }
        copy->read_offsets.push_back(int64_t(copy->tracks[kBases].size()));
    }
}

void copy_haplotypes(JNIEnv *env, jobjectArray haplotypes, const Fields &ids, RegionCopy *copy) {
    copy->haplotypes.clear();
    copy->haplotype_offsets.assign(1, 0);
    const jint count = env->GetArrayLength(haplotypes);
    for (jint h = 0; h < count; h++) {
        const Local<jobject> haplotype(env, element(env, haplotypes, "haplotype", h));
        if (append(env, haplotype.get(), ids.haplotype_bases, "haplotype", h, "haplotypeBases",
                   &copy->haplotypes) == 0)
            throw JavaError(kIllegalArgument, format("haplotype %d has no bases", int(h)));
        copy->haplotype_offsets.push_back(int64_t(copy->haplotypes.size()));
    }
}

void compute(JNIEnv *env, jobjectArray reads, jobjectArray haplotypes, jdoubleArray likelihoods) {
    const auto start = std::chrono::steady_clock::now();
    const Fields *ids = fields.load(std::memory_order_acquire);
    if (ids == nullptr)
        throw JavaError(kIllegalState, "computeLikelihoods was called before initialize");
    if (reads == nullptr || haplotypes == nullptr || likelihoods == nullptr)
        throw JavaError(kNullPointer, "reads, haplotypes or likelihoods is null");
    const jint read_count = env->GetArrayLength(reads);
    const jint haplotype_count = env->GetArrayLength(haplotypes);
    if (read_count == 0 || haplotype_count == 0) return;
    const int64_t pairs = int64_t(read_count) * haplotype_count;
    const jint room = env->GetArrayLength(likelihoods);
    if (room < pairs)
        throw JavaError(kIllegalArgument,
                        format("likelihoods has room for %d values, %d reads x %d haplotypes need "
                               "%lld",
                               int(room), int(read_count), int(haplotype_count), (long long)pairs));

    const KeptBuffers<RegionCopy, kKeptRegionBytes> kept(thread_copy);
    RegionCopy &copy = *kept;
    copy_reads(env, reads, *ids, &copy);
    copy_haplotypes(env, haplotypes, *ids, &copy);
    const int64_t region_reads[] = {0, read_count}, region_haplotypes[] = {0, haplotype_count};
    const gkl_shim_pairhmm_batch region = {1,
                                           region_reads,
                                           region_haplotypes,
                                           copy.read_offsets.data(),
                                           copy.tracks[kBases].data(),
                                           copy.tracks[kQuals].data(),
                                           copy.tracks[kInsertion].data(),
                                           copy.tracks[kDeletion].data(),
                                           copy.tracks[kContinuation].data(),
                                           copy.haplotype_offsets.data(),
                                           copy.haplotypes.data()};
    PairHmmCalls::get().compute(env, configuration, {region, nullptr}, likelihoods, start);
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

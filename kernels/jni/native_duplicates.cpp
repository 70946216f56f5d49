// The native methods of our class org.gklshim.gatk.duplicates.NativeRecords.
#include <jni.h>

#include <deque>
#include <memory>
#include <mutex>
#include <new>
#include <unordered_map>
#include <vector>

#include "gkl_shim_internal.h"
#include "guarded_jni.h"

namespace gkl_shim::jni {
namespace {

using Run = gkl_shim_duplicates_run;

// The runs that are open, by the numbers that Java has for them.
class Runs {
   public:
    jlong add(Run *run) {
        const std::shared_ptr<const Run> owned(run, gkl_shim_duplicates_close);
        const std::lock_guard<std::mutex> guard(mutex_);
        runs_.emplace(++last_, owned);
        return last_;
    }

    // The run stays open as long as a call uses it.
    std::shared_ptr<const Run> get(jlong number) {
        const std::lock_guard<std::mutex> guard(mutex_);
        const auto found = runs_.find(number);
        if (found == runs_.end()) throw JavaError(kIllegalState, "the run is not open");
        return found->second;
    }

    void remove(jlong number) {
        const std::lock_guard<std::mutex> guard(mutex_);
        runs_.erase(number);
    }

   private:
    std::mutex mutex_;
    jlong last_ = 0;
    std::unordered_map<jlong, std::shared_ptr<const Run>> runs_;
};

Runs &runs() {
    static Runs *const open = new Runs;  // threads may use it until the process ends
    return *open;
}

// An array of Java that is used in place, or null. Garbage collection waits for it, for about a
// tenth of a millisecond a batch, and no other function of JNI may be called. So all lengths are
// asked for first.
template <class T>
class ArrayInPlace {
   public:
    ArrayInPlace(JNIEnv *env, jarray array)
        : env_(env), array_(array), length_(array ? env->GetArrayLength(array) : 0) {}
    ~ArrayInPlace() {
        if (data_ != nullptr) env_->ReleasePrimitiveArrayCritical(array_, data_, 0);
    }
    ArrayInPlace(const ArrayInPlace &) = delete;

    void require(int64_t length) const {
        if (length_ < length) throw JavaError(kIllegalArgument, "an array is too short");
    }
    // Throws std::bad_alloc.
    T *open() {
        if (array_ == nullptr) return nullptr;
        data_ = static_cast<T *>(env_->GetPrimitiveArrayCritical(array_, nullptr));
        if (data_ == nullptr) throw std::bad_alloc();
        return data_;
    }
    jsize length() const { return length_; }

   private:
    JNIEnv *const env_;
    const jarray array_;
    const jsize length_;
    T *data_ = nullptr;
};

// The records of a batch.
class Records {
   public:
    Records(JNIEnv *env, jbyteArray bytes, jintArray starts, jintArray files, jsize count)
        : bytes_(env, bytes), starts_(env, starts), files_(env, files), count_(count) {
        starts_.require(int64_t(count) + 1);
        if (files != nullptr) files_.require(count);
    }
    gkl_shim_duplicates_records open() {
        return {bytes_.length(), bytes_.open(), count_, starts_.open(), files_.open()};
    }

   private:
    ArrayInPlace<uint8_t> bytes_;
    ArrayInPlace<int32_t> starts_, files_;
    const jsize count_;
};

// Copies of Java's texts, some of which may be null.
class TextCopies {
   public:
    TextCopies(JNIEnv *env, jobjectArray array) {
        for (jsize k = 0, count = env->GetArrayLength(array); k < count; k++) {
            const auto string = static_cast<jstring>(env->GetObjectArrayElement(array, k));
            check(env);
            pointers.push_back(nullptr);
            if (string == nullptr) continue;
            letters_.push_back(text(env, string));
            pointers.back() = letters_.back().c_str();
            env->DeleteLocalRef(string);
        }
    }
    std::vector<const char *> pointers;

   private:
    std::deque<std::string> letters_;
};

// A copy of an array of a known length.
std::vector<int32_t> copied(JNIEnv *env, jintArray array, size_t length) {
    if (size_t(env->GetArrayLength(array)) != length)
        throw JavaError(kIllegalArgument, "an array has another length");
    std::vector<int32_t> copy(length);
    env->GetIntArrayRegion(array, 0, jsize(length), copy.data());
    return copy;
}

constexpr int64_t kRow = sizeof(gkl_shim_duplicates_row) / sizeof(jint);

}  // namespace
}  // namespace gkl_shim::jni

using namespace gkl_shim::jni;

extern "C" {

JNIEXPORT jlong JNICALL Java_org_gklshim_gatk_duplicates_NativeRecords_open(
    JNIEnv *env, jobject, jint options, jobjectArray tags, jobjectArray names, jintArray lengths,
    jobjectArray texts, jobjectArray new_texts, jintArray files, jintArray groups) {
    return guarded_jni(env, "duplicates", [&] {
        for (const jobject array : {jobject(tags), jobject(names), jobject(lengths), jobject(texts),
                                    jobject(new_texts), jobject(files), jobject(groups)})
            if (array == nullptr) throw JavaError(kNullPointer, "an array is null");
        const TextCopies tag_names(env, tags), sequences(env, names), old_texts(env, texts),
            replacements(env, new_texts);
        const size_t count = old_texts.pointers.size();
        const std::vector<int32_t> sizes = copied(env, lengths, sequences.pointers.size()),
                                   of_files = copied(env, files, count),
                                   of_groups = copied(env, groups, count);
        if (replacements.pointers.size() != count ||
            tag_names.pointers.size() != GKL_SHIM_DUPLICATES_NAMED_TAGS)
            throw JavaError(kIllegalArgument, "an array has another length");
        for (const char *name : sequences.pointers)
            if (name == nullptr) throw JavaError(kNullPointer, "a sequence has no name");
        std::vector<gkl_shim_duplicates_text> all;
        for (size_t k = 0; k < count; k++)
            all.push_back(
                {of_files[k], of_groups[k], old_texts.pointers[k], replacements.pointers[k]});
        gkl_shim_duplicates_facts facts = {options,
                                           int32_t(sizes.size()),
                                           sequences.pointers.data(),
                                           sizes.data(),
                                           int32_t(count),
                                           all.data(),
                                           {}};
        for (size_t k = 0; k < tag_names.pointers.size(); k++)
            if (const char *const name = tag_names.pointers[k])
                facts.tags[k] = uint16_t(uint8_t(name[0]) | uint8_t(name[1]) << 8);
        Run *run;
        check(gkl_shim_duplicates_open(&facts, &run));
        return runs().add(run);
    });
}

JNIEXPORT void JNICALL Java_org_gklshim_gatk_duplicates_NativeRecords_close(JNIEnv *env, jobject,
                                                                            jlong run) {
    guarded_jni(env, "duplicates", [&] { runs().remove(run); });
}

JNIEXPORT jlong JNICALL Java_org_gklshim_gatk_duplicates_NativeRecords_growth(JNIEnv *env, jobject,
                                                                              jlong run) {
    return guarded_jni(env, "duplicates",
                       [&] { return jlong(gkl_shim_duplicates_growth(runs().get(run).get())); });
}

JNIEXPORT jint JNICALL Java_org_gklshim_gatk_duplicates_NativeRecords_keyHash(JNIEnv *env, jobject,
                                                                              jbyteArray key) {
    return guarded_jni(env, "duplicates", [&] {
        ArrayInPlace<uint8_t> bytes(env, key);
        return jint(gkl_shim_duplicates_key_hash(bytes.open(), bytes.length()));
    });
}

JNIEXPORT void JNICALL Java_org_gklshim_gatk_duplicates_NativeRecords_readEnds(
    JNIEnv *env, jobject, jlong run, jbyteArray bytes, jintArray starts, jintArray files,
    jintArray rows) {
    guarded_jni(env, "duplicates", [&] {
        const std::shared_ptr<const Run> of_run = runs().get(run);
        ArrayInPlace<int32_t> written(env, rows);
        Records batch(env, bytes, starts, files, jsize(written.length() / kRow));
        const gkl_shim_duplicates_records records = batch.open();
        check(gkl_shim_duplicates_read_ends(
            of_run.get(), &records, reinterpret_cast<gkl_shim_duplicates_row *>(written.open())));
    });
}

JNIEXPORT void JNICALL Java_org_gklshim_gatk_duplicates_NativeRecords_mark(
    JNIEnv *env, jobject, jlong run, jbyteArray bytes, jintArray starts, jintArray files,
    jbyteArray marks, jbyteArray marked, jintArray ends, jlongArray counts) {
    guarded_jni(env, "duplicates", [&] {
        const std::shared_ptr<const Run> of_run = runs().get(run);
        ArrayInPlace<uint8_t> of_records(env, marks), to(env, marked);
        ArrayInPlace<int32_t> to_ends(env, ends);
        ArrayInPlace<int64_t> counted(env, counts);
        to_ends.require(of_records.length());
        Records batch(env, bytes, starts, files, of_records.length());
        const gkl_shim_duplicates_records records = batch.open();
        const gkl_shim_duplicates_output output = {to.length(), to.open(), to_ends.open(),
                                                   counted.length() / GKL_SHIM_DUPLICATES_COUNTS,
                                                   counted.open()};
        check(gkl_shim_duplicates_mark(of_run.get(), &records, of_records.open(), &output));
    });
}

}  // extern "C"

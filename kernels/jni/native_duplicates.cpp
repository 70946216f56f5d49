// The native methods of our class org.gklshim.gatk.duplicates.NativeRecords.
#include <jni.h>
#include <string.h>

#include <new>

#include "gkl_shim_internal.h"
#include "guarded_jni.h"

namespace gkl_shim::jni {
namespace {

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
        if (length < 0 || length_ < length)
            throw JavaError(kIllegalArgument, "an array is too short");
    }
    // Throws std::bad_alloc.
    void open() {
        if (array_ == nullptr) return;
        data_ = static_cast<T *>(env_->GetPrimitiveArrayCritical(array_, nullptr));
        if (data_ == nullptr) throw std::bad_alloc();
    }
    T *data() const { return data_; }
    jsize length() const { return length_; }

   private:
    JNIEnv *const env_;
    const jarray array_;
    const jsize length_;
    T *data_ = nullptr;
};

// How many facts are before those of each sequence and read group.
constexpr int64_t kFacts = 5;

// The arrays that both methods get.
class Arrays {
   public:
    Arrays(JNIEnv *env, jbyteArray bytes, jintArray starts, jint count, jintArray files,
           jlongArray facts, jbyteArray letters, jintArray texts, jint from, jintArray stop)
        : bytes_(env, bytes),
          starts_(env, starts),
          files_(env, files),
          facts_(env, facts),
          letters_(env, letters),
          texts_(env, texts),
          stop_(env, stop),
          count_(count) {
        if (from < 0 || from > count || texts_.length() % GKL_SHIM_DUPLICATES_TEXT_ROW != 0)
            throw JavaError(kIllegalArgument, "not a batch");
        starts_.require(int64_t(count) + 1);
        if (files != nullptr) files_.require(count);
        facts_.require(kFacts);
        texts_.require(1);
        stop_.require(sizeof(gkl_shim_duplicates_stop) / sizeof(jint));
    }

    void open() {
        for (ArrayInPlace<uint8_t> *array : {&bytes_, &letters_}) array->open();
        for (ArrayInPlace<int32_t> *array : {&starts_, &files_, &texts_, &stop_}) array->open();
        facts_.open();
        const int64_t *const facts = facts_.data();
        const int64_t sequences = facts[2], groups = facts[3];
        if (sequences < 0 || groups < 0 || sequences > INT32_MAX || groups > INT32_MAX)
            throw JavaError(kIllegalArgument, "no facts of a header");
        facts_.require(kFacts + 3 * sequences + 1 + groups);
        const int64_t *const lengths = facts + kFacts;
        header = {int32_t(facts[0]),
                  int32_t(facts[1]),
                  int32_t(sequences),
                  int32_t(groups),
                  lengths,
                  lengths + sequences,
                  lengths + 2 * sequences,
                  lengths + 3 * sequences + 1,
                  {}};
        for (int k = 0; k < GKL_SHIM_DUPLICATES_NAMED_TAGS; k++)
            header.tags[k] = uint16_t(uint64_t(facts[4]) >> 16 * k);
        records = {bytes_.length(), bytes_.data(), count_, starts_.data(), files_.data()};
        known = {letters_.length(), letters_.data(), texts_.length() / GKL_SHIM_DUPLICATES_TEXT_ROW,
                 texts_.data()};
    }

    // Calls a function of the C ABI. Its last argument says where it has stopped.
    template <class Function>
    void call(Function function) {
        gkl_shim_duplicates_stop stop;
        check(function(&stop));
        memcpy(stop_.data(), &stop, sizeof stop);
    }

    gkl_shim_duplicates_records records;
    gkl_shim_duplicates_header header;
    gkl_shim_duplicates_texts known;

   private:
    ArrayInPlace<uint8_t> bytes_;
    ArrayInPlace<int32_t> starts_, files_;
    ArrayInPlace<int64_t> facts_;
    ArrayInPlace<uint8_t> letters_;
    ArrayInPlace<int32_t> texts_, stop_;
    const jint count_;
};

}  // namespace
}  // namespace gkl_shim::jni

using gkl_shim::jni::ArrayInPlace;
using gkl_shim::jni::Arrays;
using gkl_shim::jni::guarded_jni;

extern "C" {

JNIEXPORT void JNICALL Java_org_gklshim_gatk_duplicates_NativeRecords_readEnds(
    JNIEnv *env, jobject, jbyteArray bytes, jintArray starts, jint count, jintArray files,
    jlongArray facts, jbyteArray letters, jintArray texts, jint from, jintArray stop,
    jlongArray rows) {
    guarded_jni(env, "duplicates", [&] {
        Arrays arrays(env, bytes, starts, count, files, facts, letters, texts, from, stop);
        ArrayInPlace<int64_t> written(env, rows);
        written.require(int64_t(count) * GKL_SHIM_DUPLICATES_ROW);
        arrays.open();
        written.open();
        arrays.call([&](gkl_shim_duplicates_stop *at) {
            return gkl_shim_duplicates_read_ends(&arrays.records, &arrays.header, &arrays.known,
                                                 from, written.data(), at);
        });
    });
}

JNIEXPORT void JNICALL Java_org_gklshim_gatk_duplicates_NativeRecords_mark(
    JNIEnv *env, jobject, jbyteArray bytes, jintArray starts, jint count, jintArray files,
    jlongArray facts, jbyteArray letters, jintArray texts, jint from, jintArray stop, jlong first,
    jlongArray indexes, jlong base, jlongArray duplicates, jlongArray optical, jbyteArray marked,
    jintArray ends, jbooleanArray unusual, jlongArray counts) {
    guarded_jni(env, "duplicates", [&] {
        Arrays arrays(env, bytes, starts, count, files, facts, letters, texts, from, stop);
        ArrayInPlace<int64_t> of_records(env, indexes), of_duplicates(env, duplicates),
            of_optical(env, optical), counted(env, counts);
        ArrayInPlace<uint8_t> output(env, marked), are_unusual(env, unusual);
        ArrayInPlace<int32_t> output_ends(env, ends);
        if (indexes != nullptr) of_records.require(count);
        if (optical != nullptr) of_optical.require(of_duplicates.length());
        are_unusual.require(count);
        output_ends.require(count);
        arrays.open();
        counted.require(int64_t(arrays.header.groups) * GKL_SHIM_DUPLICATES_COUNTS);
        for (ArrayInPlace<int64_t> *array : {&of_records, &of_duplicates, &of_optical, &counted})
            array->open();
        for (ArrayInPlace<uint8_t> *array : {&output, &are_unusual}) array->open();
        output_ends.open();
        const gkl_shim_duplicates_marks marks = {first,
                                                 of_records.data(),
                                                 base,
                                                 of_duplicates.length(),
                                                 of_duplicates.data(),
                                                 of_optical.data()};
        gkl_shim_duplicates_output to = {output.length(), output.data(), output_ends.data(),
                                         are_unusual.data(), counted.data()};
        arrays.call([&](gkl_shim_duplicates_stop *at) {
            return gkl_shim_duplicates_mark(&arrays.records, &arrays.header, &arrays.known, &marks,
                                            from, &to, at);
        });
    });
}

}  // extern "C"

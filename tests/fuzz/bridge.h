// Functions that call the native methods of Java's classes with arrays of any size. A call must
// raise an exception or give the C ABI's bits.
#pragma once

#include "../fakes/jvm.h"
#include "jni/recording/region_text.h"
#include "jni/settings/settings.h"
#include "targets.h"

extern "C" {
JNIEXPORT jint JNICALL Java_org_gklshim_pairhmm_NativePairHmm_initialize(JNIEnv *, jobject,
                                                                         jboolean, jint, jstring);
JNIEXPORT void JNICALL Java_org_gklshim_pairhmm_NativePairHmm_compute(JNIEnv *, jobject, jint,
                                                                      jbyteArray, jintArray, jint,
                                                                      jint, jdoubleArray);
JNIEXPORT jint JNICALL Java_org_gklshim_pdhmm_NativePdhmm_initialize(JNIEnv *, jobject, jboolean,
                                                                     jint, jstring);
JNIEXPORT void JNICALL Java_org_gklshim_pdhmm_NativePdhmm_compute(JNIEnv *, jobject, jint,
                                                                  jbyteArray, jintArray, jint, jint,
                                                                  jdoubleArray);
JNIEXPORT void JNICALL Java_com_intel_gkl_pairhmm_IntelPairHmm_initNative(JNIEnv *, jclass, jclass,
                                                                          jclass, jboolean, jint);
JNIEXPORT void JNICALL Java_com_intel_gkl_pairhmm_IntelPairHmm_computeLikelihoodsNative(
    JNIEnv *, jobject, jobjectArray, jobjectArray, jdoubleArray);
JNIEXPORT jlong JNICALL Java_org_gklshim_smithwaterman_NativeSmithWaterman_align(
    JNIEnv *, jobject, jbyteArray, jbyteArray, jint, jint, jint, jint, jint, jbyteArray);
}

namespace {

JNIEnv *jvm() { return const_cast<JNIEnv *>(&fake_env); }

// Whether a method returned. It may only raise an exception that a caller in Java expects.
bool returned() {
    const std::string pending = fake_pending();
    if (pending.empty()) return true;
    const std::string name = pending.substr(0, pending.find(':'));
    for (const char *expected :
         {"java/lang/IllegalArgumentException", "java/lang/IllegalStateException",
          "java/lang/NullPointerException", "java/lang/ArrayIndexOutOfBoundsException"})
        if (name == expected) return false;
    fprintf(stderr, "%s\n", pending.c_str());
    abort();
}

// Bytes that are taken from the front of the input; 0 after its end.
class Input {
   public:
    Input(const uint8_t *bytes, int64_t size) : at_(bytes), end_(bytes + size) {}
    uint8_t byte() { return at_ < end_ ? *at_++ : 0; }
    int8_t number() { return int8_t(byte()); }
    bool ended() const { return at_ == end_; }
    std::string rest() const { return {reinterpret_cast<const char *>(at_), size_t(end_ - at_)}; }
    std::string take(size_t most) {
        const size_t size = std::min(most, size_t(end_ - at_));
        at_ += size;
        return {reinterpret_cast<const char *>(at_ - size), size};
    }

   private:
    const uint8_t *at_, *const end_;
};

std::string repeated(const std::string &text, size_t copies) {
    std::string all;
    for (; copies > 0; copies--) all += text;
    return all;
}

// An array of Java, in memory of exactly its size.
template <class T>
class Array {
   public:
    template <class Values>
    explicit Array(const Values &values) : content_(int64_t(values.size())) {
        std::copy(values.begin(), values.end(), content_.data);
        array_ = {jsize(values.size()), content_.data, nullptr};
    }
    template <class Reference>
    Reference as() {
        return reinterpret_cast<Reference>(&array_);
    }
    fake_object *object() { return &array_; }
    const T *data() const { return content_.data; }

   private:
    Exact<T> content_;
    fake_object array_;
};

// What the C ABI gives for a region, with GATK's conventions. PDHMM, which has flags, has one
// precision.
std::vector<double> likelihoods(const gkl_shim_pairhmm_batch &region, const uint8_t *flags,
                                int32_t precision) {
    const int64_t pairs = region.region_reads[1] * region.region_haplotypes[1];
    std::vector<double> values(size_t(pairs), -1);
    if (flags == nullptr) {
        gkl_shim_pairhmm_options options = {};
        options.threads = 1, options.precision = precision;
        options.conventions = GKL_SHIM_AS_GKL;
        const auto engine = opened(gkl_shim_pairhmm_close, gkl_shim_pairhmm_open, &options);
        computed(gkl_shim_pairhmm_compute(engine, &region, values.data(), pairs));
    } else {
        const gkl_shim_pdhmm_options options = {1, GKL_SHIM_AS_GKL, nullptr};
        const gkl_shim_pdhmm_batch flagged = {region, flags};
        const auto engine = opened(gkl_shim_pdhmm_close, gkl_shim_pdhmm_open, &options);
        computed(gkl_shim_pdhmm_compute(engine, &flagged, values.data(), pairs));
    }
    return values;
}

void same_bits(const std::vector<double> &expected, const double *found) {
    for (const double value : expected)
        require(memcmp(&value, found++, sizeof value) == 0, "Java and C get different likelihoods");
}

// A recorded region can be read again.
void recorded(const gkl_shim_pairhmm_batch &region) {
    std::string text;
    gkl_shim::jni::Replaced replaced;
    gkl_shim::jni::append_region(region, nullptr, &text, &replaced);
    int64_t lines = 0, bytes = 0;
    const uint8_t *const letters = reinterpret_cast<const uint8_t *>(text.data());
    computed(gkl_shim_count_lines(letters, int64_t(text.size()), 1, &lines, &bytes));
    Exact<int64_t> offsets(2 * lines + 4);
    Exact<uint8_t> parsed(bytes);
    gkl_shim_pairhmm_text found;
    computed(gkl_shim_pairhmm_parse(letters, int64_t(text.size()), 1 << 20, 1, offsets.data,
                                    parsed.data, &found));
    require(found.batch.regions == 1 && found.unfinished < 0, "a recorded region is not one");
    require(found.batch.region_reads[1] == region.region_reads[1] &&
                found.batch.region_haplotypes[1] == region.region_haplotypes[1],
            "a recorded region has other sequences");
}

// Numbers that a byte stands for: small ones, and those at Java's limits.
jint wide(int8_t number) {
    switch (number) {
        case 127:
            return INT32_MAX;
        case 126:
            return INT32_MAX - 1;
        case 125:
            return 1 << 30;
        case -128:
            return INT32_MIN;
        default:
            return number;
    }
}

// PairHMM and PDHMM with packed arrays. Six bytes: which of the two, its precision and how often
// all bytes are repeated, the configuration, the reads, the haplotypes, the room for results, and
// how many lengths follow. The rest is the sequences.
bool jni_regions(uint8_t *bytes, int64_t size) {
    Input input(bytes, size);
    const uint8_t choice = input.byte();
    const bool flagged = choice & 1;
    const int32_t precision = choice & 2 ? GKL_SHIM_SINGLE : GKL_SHIM_DOUBLE;
    static const auto pairhmm = Java_org_gklshim_pairhmm_NativePairHmm_initialize;
    static const auto pdhmm = Java_org_gklshim_pdhmm_NativePdhmm_initialize;
    static const jint known[][2] = {{pairhmm(jvm(), nullptr, JNI_FALSE, 1, nullptr),
                                     pairhmm(jvm(), nullptr, JNI_TRUE, 1, nullptr)},
                                    {pdhmm(jvm(), nullptr, JNI_FALSE, 1, nullptr),
                                     pdhmm(jvm(), nullptr, JNI_TRUE, 1, nullptr)}};
    const int8_t other = input.number();
    const jint configuration = other ? wide(other) : known[flagged][precision];
    const jint reads = wide(input.number()), haplotypes = wide(input.number());
    std::vector<double> room(input.byte(), -1);
    std::vector<jint> lengths(input.byte() % 64);
    for (jint &length : lengths) length = wide(input.number());
    const std::string rest = input.rest();
    const size_t most_bytes = 1 << 13;
    const size_t copies =
        rest.empty() ? 1 : std::min<size_t>(1 + choice / 4, 1 + most_bytes / rest.size());
    for (jint &length : lengths)
        if (-128 < length && length < 125) length *= jint(copies);
    Array<jint> given(lengths);
    Array<jbyte> sequences(repeated(rest, copies));
    Array<double> results(room);
    (flagged ? Java_org_gklshim_pdhmm_NativePdhmm_compute
             : Java_org_gklshim_pairhmm_NativePairHmm_compute)(
        jvm(), nullptr, configuration, sequences.as<jbyteArray>(), given.as<jintArray>(), reads,
        haplotypes, results.as<jdoubleArray>());
    if (!returned()) return false;
    if (configuration != known[flagged][precision]) return true;  // perhaps another one
    std::vector<int64_t> offsets[2] = {{0}, {0}};
    for (jint k = 0; k < reads + haplotypes; k++)
        offsets[k >= reads].push_back(offsets[k >= reads].back() + lengths[size_t(k)]);
    const int64_t region_reads[] = {0, reads}, region_haplotypes[] = {0, haplotypes};
    const uint8_t *const data = reinterpret_cast<const uint8_t *>(sequences.data());
    const int64_t track = offsets[0].back(), letters = offsets[1].back();
    const gkl_shim_pairhmm_batch region = {1,
                                           region_reads,
                                           region_haplotypes,
                                           offsets[0].data(),
                                           data,
                                           data + track,
                                           data + 2 * track,
                                           data + 3 * track,
                                           data + 4 * track,
                                           offsets[1].data(),
                                           data + 5 * track};
    same_bits(likelihoods(region, flagged ? data + 5 * track + letters : nullptr, precision),
              results.data());
    if (!flagged && reads && haplotypes) recorded(region);
    return true;
}

// PairHMM with the objects of Intel's class. Three bytes: the reads and the precision, the
// haplotypes and how often the bytes of each array are repeated, and the room for results. Then the
// length of each array and its bytes; a length of 255 is null.
bool jni_holders(uint8_t *bytes, int64_t size) {
    static const bool is_quiet = [] {
        // Without the lines about this at the end of the process.
        setenv("GKL_SHIM_LOG", "quiet", 1);
        gkl_shim::jni::read_settings(jvm());
        return true;
    }();
    static fake_object class_of_holders = {};
    const jclass known = reinterpret_cast<jclass>(&class_of_holders);
    Input input(bytes, size);
    const uint8_t first = input.byte(), second = input.byte();
    const size_t counts[] = {size_t(first % 8), size_t(second % 8)};
    const int32_t precision = first & 8 ? GKL_SHIM_SINGLE : GKL_SHIM_DOUBLE;
    const size_t copies = 1 + second / 8 % 4;
    Java_com_intel_gkl_pairhmm_IntelPairHmm_initNative(jvm(), nullptr, known, known,
                                                       precision == GKL_SHIM_DOUBLE, 1);
    require(is_quiet && returned(), "initNative fails");
    std::vector<double> room(input.byte() % 70, -1);
    std::vector<std::unique_ptr<Array<jbyte>>> arrays;
    std::vector<std::vector<fake_object *>> fields;
    std::vector<fake_object> holders[2];
    std::string tracks[6];
    std::vector<int64_t> offsets[2] = {{0}, {0}};
    for (const int kind : {0, 1})
        for (size_t k = 0; k < counts[kind]; k++) {
            fields.emplace_back();
            for (int track = 0; track < (kind ? 1 : 5); track++) {
                const uint8_t length = input.byte();
                const std::string part = input.take(length == 255 ? 0 : length);
                const std::string content = repeated(part, copies);
                tracks[kind ? 5 : track] += content;
                if (track == 0)
                    offsets[kind].push_back(offsets[kind].back() + int64_t(content.size()));
                arrays.emplace_back(new Array<jbyte>(content));
                fields.back().push_back(length == 255 ? nullptr : arrays.back()->object());
            }
        }
    std::vector<fake_object *> elements[2];
    size_t at = 0;
    for (const int kind : {0, 1}) {
        for (size_t k = 0; k < counts[kind]; k++)
            holders[kind].push_back({0, nullptr, fields[at++].data()});
        for (fake_object &holder : holders[kind]) elements[kind].push_back(&holder);
    }
    fake_object reads = {jsize(counts[0]), nullptr, elements[0].data()};
    fake_object haplotypes = {jsize(counts[1]), nullptr, elements[1].data()};
    Array<double> results(room);
    Java_com_intel_gkl_pairhmm_IntelPairHmm_computeLikelihoodsNative(
        jvm(), nullptr, reinterpret_cast<jobjectArray>(&reads),
        reinterpret_cast<jobjectArray>(&haplotypes), results.as<jdoubleArray>());
    if (!returned()) return false;
    if (counts[0] == 0 || counts[1] == 0) return true;
    const int64_t region_reads[] = {0, int64_t(counts[0])};
    const int64_t region_haplotypes[] = {0, int64_t(counts[1])};
    const auto letters = [&](int track) {
        return reinterpret_cast<const uint8_t *>(tracks[track].data());
    };
    const gkl_shim_pairhmm_batch region = {
        1,          region_reads, region_haplotypes, offsets[0].data(), letters(0), letters(1),
        letters(2), letters(3),   letters(4),        offsets[1].data(), letters(5)};
    same_bits(likelihoods(region, nullptr, precision), results.data());
    return true;
}

// Nine bytes: four scores, the strategy, the factor of the scores, the room for the CIGAR, and
// where the rest is divided into two sequences.
bool jni_smithwaterman(uint8_t *bytes, int64_t size) {
    Input input(bytes, size);
    jint scores[4];
    for (jint &score : scores) score = input.number();
    const jint overhang = input.number();
    const int shift = input.byte() % 24;
    for (jint &score : scores) score *= 1 << shift;
    Array<jbyte> cigar(std::string(size_t(input.byte()), ' '));
    const size_t cut = input.byte() + 256u * input.byte();
    const std::string first = input.take(cut), second = input.rest();
    Array<jbyte> reference(first), alternative(second);
    const jlong packed = Java_org_gklshim_smithwaterman_NativeSmithWaterman_align(
        jvm(), nullptr, reference.as<jbyteArray>(), alternative.as<jbyteArray>(), scores[0],
        scores[1], scores[2], scores[3], overhang, cigar.as<jbyteArray>());
    if (!returned()) return false;
    const int64_t first_ends[] = {0, int64_t(first.size())};
    const int64_t second_ends[] = {0, int64_t(second.size())};
    const gkl_shim_smithwaterman_batch pair = {
        1, first_ends, reinterpret_cast<const uint8_t *>(first.data()), second_ends,
        reinterpret_cast<const uint8_t *>(second.data())};
    const gkl_shim_smithwaterman_parameters parameters = {scores[0], scores[1], scores[2],
                                                          scores[3], overhang};
    const gkl_shim_smithwaterman_options options = {1, nullptr};
    const auto engine = opened(gkl_shim_smithwaterman_close, gkl_shim_smithwaterman_open, &options);
    int64_t offset, ends[2];
    Exact<char> text(2 * (first_ends[1] + second_ends[1]));
    computed(gkl_shim_smithwaterman_align_exactly(engine, &pair, &parameters, &offset, ends,
                                                  text.data, 2 * (first_ends[1] + second_ends[1])));
    require(packed == jlong(uint64_t(offset) << 32 | uint64_t(ends[1])) &&
                memcmp(text.data, cigar.data(), size_t(ends[1])) == 0,
            "Java and C get different alignments");
    return true;
}

// Each line is the value of a setting.
bool settings(uint8_t *bytes, int64_t size) {
    Input input(bytes, size);
    int set = 0;
    for (const char *name :
         {"GKL_SHIM_BACKEND", "GKL_SHIM_THREADS", "GKL_SHIM_BUILD", "GKL_SHIM_RECORD",
          "GKL_SHIM_VERIFY", "GKL_SHIM_LOG", "GKL_SHIM_RECORD_SMITHWATERMAN"}) {
        std::string value;
        for (uint8_t byte; !input.ended() && (byte = input.byte()) != '\n';)
            if (byte) value += char(byte);
        setenv(name, value.c_str(), 1);
        set += !value.empty();
    }
    gkl_shim::jni::read_settings(jvm());
    const gkl_shim::jni::Settings &found = gkl_shim::jni::settings();
    const std::string known = std::string(" ") + gkl_shim_builds() + " ";
    require(found.threads >= 0 && found.verify >= 0 && int(found.warnings.size()) <= set,
            "a setting is out of range");
    require(found.build.empty() || known.find(" " + found.build + " ") != known.npos,
            "a build that this CPU cannot run");
    return found.warnings.empty();
}

const std::map<std::string, Target> kBridge = {
    {"jni-regions", jni_regions},
    {"jni-holders", jni_holders},
    {"jni-smithwaterman", jni_smithwaterman},
    {"settings", settings},
};

}  // namespace

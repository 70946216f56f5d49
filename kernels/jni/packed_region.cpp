#include "packed_region.h"

#include "guarded_jni.h"

namespace gkl_shim::jni {
namespace {

template <typename T>
T *at_least(std::vector<T> *buffer, size_t size) {
    if (buffer->size() < size) buffer->resize(size);
    return buffer->data();
}

// Writes `count` + 1 offsets and returns the last.
int64_t accumulate(const jint *lengths, jint count, int64_t *offsets) {
    offsets[0] = 0;
    for (jint i = 0; i < count; i++) {
        if (lengths[i] < 0) throw JavaError(kIllegalArgument, "negative length");
        offsets[i + 1] = offsets[i] + lengths[i];
    }
    return offsets[count];
}

}  // namespace

void PackedRegion::copy(JNIEnv *env, jbyteArray sequences, jintArray lengths, jint reads,
                        jint haplotypes, int haplotype_tracks) {
    if (reads < 0 || haplotypes < 0 || reads > env->GetArrayLength(lengths) - haplotypes)
        throw JavaError(kIllegalArgument, "more sequences than lengths");
    const jint sequence_count = reads + haplotypes;
    jint *const length = at_least(&lengths_, size_t(sequence_count));
    env->GetIntArrayRegion(lengths, 0, sequence_count, length);
    check(env);
    int64_t *const read_offsets = at_least(&read_offsets_, size_t(reads) + 1);
    int64_t *const haplotype_offsets = at_least(&haplotype_offsets_, size_t(haplotypes) + 1);
    const int64_t read_bytes = accumulate(length, reads, read_offsets);
    const int64_t haplotype_bytes = accumulate(length + reads, haplotypes, haplotype_offsets);
    const int64_t bytes = 5 * read_bytes + haplotype_tracks * haplotype_bytes;
    if (bytes > env->GetArrayLength(sequences))
        throw JavaError(kIllegalArgument, "lengths beyond the sequences");
    uint8_t *const data = at_least(&sequences_, size_t(bytes));
    env->GetByteArrayRegion(sequences, 0, jint(bytes), reinterpret_cast<jbyte *>(data));
    check(env);

    region_reads_[0] = region_haplotypes_[0] = 0;
    region_reads_[1] = reads;
    region_haplotypes_[1] = haplotypes;
    batch_ = {1,
              region_reads_,
              region_haplotypes_,
              read_offsets,
              data,
              data + read_bytes,
              data + 2 * read_bytes,
              data + 3 * read_bytes,
              data + 4 * read_bytes,
              haplotype_offsets,
              data + 5 * read_bytes};
    haplotype_flags_ = data + 5 * read_bytes + haplotype_bytes;
}

}  // namespace gkl_shim::jni

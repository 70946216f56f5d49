#include "packed_region.h"

#include "guarded_jni.h"

namespace gkl_shim::jni {
namespace {

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

PackedRegion::PackedRegion(JNIEnv *env, jbyteArray sequences, jintArray lengths, jint reads,
                           jint haplotypes, int haplotype_tracks) {
    if (reads < 0 || haplotypes < 0 || reads > env->GetArrayLength(lengths) - haplotypes)
        throw JavaError(kIllegalArgument, "more sequences than lengths");
    const jint sequence_count = reads + haplotypes;
    const Buffer<jint> length(sequence_count);
    env->GetIntArrayRegion(lengths, 0, sequence_count, length.data());
    check(env);
    read_offsets_ = Buffer<int64_t>(int64_t(reads) + 1);
    haplotype_offsets_ = Buffer<int64_t>(int64_t(haplotypes) + 1);
    const int64_t read_bytes = accumulate(length.data(), reads, read_offsets_.data());
    const int64_t haplotype_bytes =
        accumulate(length.data() + reads, haplotypes, haplotype_offsets_.data());
    const int64_t bytes = 5 * read_bytes + haplotype_tracks * haplotype_bytes;
    if (bytes > env->GetArrayLength(sequences))
        throw JavaError(kIllegalArgument, "lengths beyond the sequences");
    sequences_ = Buffer<uint8_t>(bytes);
    uint8_t *const data = sequences_.data();
    env->GetByteArrayRegion(sequences, 0, jint(bytes), reinterpret_cast<jbyte *>(data));
    check(env);

    region_reads_[0] = region_haplotypes_[0] = 0;
    region_reads_[1] = reads;
    region_haplotypes_[1] = haplotypes;
    batch_ = {1,
              region_reads_,
              region_haplotypes_,
              read_offsets_.data(),
              data,
              data + read_bytes,
              data + 2 * read_bytes,
              data + 3 * read_bytes,
              data + 4 * read_bytes,
              haplotype_offsets_.data(),
              data + 5 * read_bytes};
    haplotype_flags_ = data + 5 * read_bytes + haplotype_bytes;
}

}  // namespace gkl_shim::jni

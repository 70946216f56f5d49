// A region as our Java classes pass it: packed in two arrays.
#pragma once

#include <jni.h>

#include <vector>

#include "gkl_shim.h"
#include "kept_buffers.h"

namespace gkl_shim::jni {

// Copies of the arrays, and the batch of one region that they make. A thread reuses them.
class PackedRegion {
   public:
    // Copies all input. Using the arrays in place would block garbage collection for all threads
    // while one of them computes.
    //
    // `sequences` holds the bases of all reads and their four quality tracks, one track after
    // another, and then `haplotype_tracks` tracks of all haplotypes: bases, and flags. `lengths`
    // holds the lengths of the reads and then of the haplotypes. Throws JavaError and JavaPending.
    void copy(JNIEnv *env, jbyteArray sequences, jintArray lengths, jint reads, jint haplotypes,
              int haplotype_tracks);

    const gkl_shim_pairhmm_batch &batch() const { return batch_; }
    const uint8_t *haplotype_flags() const { return haplotype_flags_; }
    size_t bytes() const {
        return capacity_bytes(lengths_, sequences_, read_offsets_, haplotype_offsets_);
    }
    int64_t pairs() const { return region_reads_[1] * region_haplotypes_[1]; }

   private:
    std::vector<jint> lengths_;
    std::vector<uint8_t> sequences_;
    std::vector<int64_t> read_offsets_, haplotype_offsets_;
    int64_t region_reads_[2], region_haplotypes_[2];
    gkl_shim_pairhmm_batch batch_;
    const uint8_t *haplotype_flags_;
};

}  // namespace gkl_shim::jni

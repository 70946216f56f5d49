// K-mers and the spectrum, for every engine.
//
// A base has two bits: bits 1 and 2 of its ASCII letter, in either case. A is 0, C is 1, T is 2 and
// G is 3, so a base and its complement differ in bit 1. A k-mer has its first base in the highest
// bits. It is the same k-mer as its reverse complement; the smaller number stands for both.
//
// A k-mer's hash is a number of 2k bits too, and no two k-mers share one. So the hash can replace
// the k-mer. Its high bits choose a partition while k-mers are counted, and then a slot. A table
// that counts the k-mers of a partition has 64-bit entries, which EntryLayout describes; 0 is an
// empty entry.
//
// The spectrum is an array of 32-bit slots with linear probing. A slot holds the low 24 bits of a
// hash and the k-mer's count, at most 255; 0 is an empty slot. It holds the solid k-mers. It may
// also hold repeated ones, which occur several times but not often enough to be solid. Slots are
// assigned by the high bits of the hash, which are implied by the slot's position except within a
// run of full slots. A k-mer that is not in the spectrum is therefore taken for one that is with a
// small probability, which gkl_shim_correct_spectrum_information() reports.
#pragma once

#include "common/device.h"
#include "common/integers.h"

// GKL_SHIM_ROLLED stands before a loop that a GPU's compiler must not unroll: code that does not
// fit into the instruction cache is slow.
#if defined(__CUDACC_RTC__)
#define GKL_SHIM_ROLLED _Pragma("unroll 1")
#else
#define GKL_SHIM_ROLLED
#endif

namespace gkl_shim::correct {

constexpr int kMinK = 11, kMaxK = 31;

// The low bits of a hash that a slot holds, above the count.
constexpr int kPrintBits = 24, kCountBits = 8;

// The code of N. It is in no k-mer.
constexpr uint8_t kUnknown = 4;

constexpr uint32_t kMaxCount = (1u << kCountBits) - 1;

// The largest threshold: with the largest k, a count in a table ends there.
constexpr int kMaxThreshold = 2047;

constexpr int kPartitionBits = 9, kPartitions = 1 << kPartitionBits;

// An entry of a table: the bits of the hash that do not choose the partition, above the count. The
// count has the bits that the hash leaves, but no more than suffice for the deepest reads: a count
// that is at its limit takes no atomic operations any more.
struct EntryLayout {
    int32_t rest_bits, count_bits;

    GKL_SHIM_METHOD explicit EntryLayout(int32_t k)
        : rest_bits(2 * k - kPartitionBits),
          count_bits(64 - rest_bits < 16 ? 64 - rest_bits : 16) {}

    GKL_SHIM_METHOD uint64_t partition(uint64_t hash) const { return hash >> rest_bits; }
    // The entry of a k-mer that has occurred once.
    GKL_SHIM_METHOD uint64_t first(uint64_t hash) const {
        return (hash & ((uint64_t(1) << rest_bits) - 1)) << count_bits | 1;
    }
    GKL_SHIM_METHOD uint64_t hash(uint64_t partition, uint64_t entry) const {
        return partition << rest_bits | entry >> count_bits;
    }
    GKL_SHIM_METHOD bool same_kmer(uint64_t one, uint64_t other) const {
        return (one ^ other) >> count_bits == 0;
    }
    GKL_SHIM_METHOD uint64_t max_count() const { return (uint64_t(1) << count_bits) - 1; }
    GKL_SHIM_METHOD uint64_t count(uint64_t entry) const { return entry & max_count(); }
    // The place of an entry in a table.
    GKL_SHIM_METHOD uint64_t place(uint64_t entry, uint64_t size) const {
        return (entry >> count_bits << (64 - rest_bits) >> 32) * size >> 32;
    }
};

// The code of a letter; kUnknown for N. Other letters are refused before.
GKL_SHIM_METHOD uint32_t code_of(uint8_t letter) {
    return (letter & 0xDF) == 'N' ? uint32_t(kUnknown) : (letter >> 1 & 3u);
}
// Among the letters ACGTN, only N has this bit.
constexpr uint8_t kBitOfN = 8;

GKL_SHIM_METHOD uint8_t letter_of(uint32_t code) { return uint8_t(0x47544341u >> (8 * code)); }

struct Hasher {
    int32_t k;
    int32_t shift;  // half the hash's bits
    uint64_t mask;

    GKL_SHIM_METHOD explicit Hasher(int32_t k_)
        : k(k_), shift(k_), mask((~0ull) >> (64 - 2 * k_)) {}

    // Each step is a bijection of the numbers of 2k bits.
    GKL_SHIM_METHOD uint64_t hash(uint64_t kmer) const {
        uint64_t x = kmer;
        x ^= x >> shift;
        x = (x * 0x9E3779B97F4A7C15ull) & mask;
        x ^= x >> shift;
        x = (x * 0xD6E8FEB86659FD93ull) & mask;
        return x;
    }

    // The hash as a fraction of 2^64.
    GKL_SHIM_METHOD uint64_t scaled(uint64_t hash) const { return hash << (64 - 2 * k); }

    GKL_SHIM_METHOD uint64_t reverse_complement(uint64_t kmer) const {
        uint64_t x = kmer ^ 0xAAAAAAAAAAAAAAAAull;
#if defined(__CUDACC_RTC__)
        x = __brevll(x);
        x = (x >> 1 & 0x5555555555555555ull) | (x & 0x5555555555555555ull) << 1;
#else
        x = (x >> 2 & 0x3333333333333333ull) | (x & 0x3333333333333333ull) << 2;
        x = (x >> 4 & 0x0F0F0F0F0F0F0F0Full) | (x & 0x0F0F0F0F0F0F0F0Full) << 4;
        x = (x >> 8 & 0x00FF00FF00FF00FFull) | (x & 0x00FF00FF00FF00FFull) << 8;
        x = (x >> 16 & 0x0000FFFF0000FFFFull) | (x & 0x0000FFFF0000FFFFull) << 16;
        x = x >> 32 | x << 32;
#endif
        return x >> (64 - 2 * k);
    }
};

// A k-mer and its reverse complement, as bases are added at the end.
struct Roller {
    uint64_t forward = 0, reverse = 0;

    GKL_SHIM_METHOD void push(const Hasher &h, uint32_t base) {
        forward = (forward << 2 | base) & h.mask;
        reverse = reverse >> 2 | uint64_t(base ^ 2) << (2 * h.k - 2);
    }
    GKL_SHIM_METHOD void push_front(const Hasher &h, uint32_t base) {
        reverse = (reverse << 2 | (base ^ 2)) & h.mask;
        forward = forward >> 2 | uint64_t(base) << (2 * h.k - 2);
    }
    GKL_SHIM_METHOD uint64_t canonical() const { return forward < reverse ? forward : reverse; }
};

struct SpectrumView {
    const uint32_t *slots;
    uint64_t
        size;  // slots by which hashes are assigned; the array is longer, and its last one empty
    Hasher hasher;
    uint32_t solid_from;  // the least count in the slot of a solid k-mer

    GKL_SHIM_METHOD uint64_t home(uint64_t hash) const {
        const uint64_t high = hasher.scaled(hash) >> 32;
        return (high * size) >> 32;
    }

    GKL_SHIM_METHOD bool is_solid(uint64_t kmer) const {
        return count(hasher.hash(kmer)) >= solid_from;
    }
    GKL_SHIM_METHOD bool is_solid_hash(uint64_t hash) const { return count(hash) >= solid_from; }
    GKL_SHIM_METHOD bool is_solid_or_repeated(uint64_t kmer) const {
        return count(hasher.hash(kmer)) > 0;
    }

    // The count in the slot of a k-mer, or 0 if it is not in the spectrum.
    GKL_SHIM_METHOD uint32_t count(uint64_t hash) const {
        GKL_SHIM_ROLLED
        for (uint64_t at = home(hash);; at++) {
            const uint32_t slot = slots[at];
            if (slot == 0) return 0;
            if (((slot >> kCountBits) ^ uint32_t(hash)) << kCountBits == 0) return slot & kMaxCount;
        }
    }
};

}  // namespace gkl_shim::correct

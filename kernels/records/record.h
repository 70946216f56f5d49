// The fields of a BAM record that is held as bytes: section 4.2 of the SAM specification.
//
// This folder is the one place of native code that reads records. It knows the format, and which
// records htsjdk reads and writes without a fault and in one way only. It knows no tool: what a
// tool does with a record is in the tool's folder, such as kernels/duplicates/.
#pragma once

#include <stdint.h>
#include <string.h>

#include <string_view>

namespace gkl_shim::records {

// The bytes of a record before its name. The first four are the size of all that follows.
constexpr int64_t kFixedSize = 36;
// Where the bin of a record is, and its flags.
constexpr int64_t kBin = 14, kFlags = 18;

enum Flag : int32_t {
    kPaired = 0x1,
    kProperPair = 0x2,
    kUnmapped = 0x4,
    kMateUnmapped = 0x8,
    kReverse = 0x10,
    kMateReverse = 0x20,
    kFirst = 0x40,
    kSecond = 0x80,
    kSecondary = 0x100,
    kQcFail = 0x200,
    kDuplicate = 0x400,
    kSupplementary = 0x800,
};

// A number at any address. Those of a BAM file have the byte order of the CPUs that we build for.
template <class T>
T load(const uint8_t *from) {
    T value;
    memcpy(&value, from, sizeof value);
    return value;
}

template <class T>
void store(uint8_t *to, T value) {
    memcpy(to, &value, sizeof value);
}

struct Record {
    // The record, from its size on.
    const uint8_t *start, *end;
    int32_t flags;
    int32_t reference;
    // From 1. 0 if there is none.
    int64_t position;
    int32_t mate_reference;
    int64_t mate_position;
    // How many bases of the reference the alignment covers.
    int64_t span;
    // How many bases are clipped before and after the alignment, soft or hard.
    int64_t clipped_start, clipped_end;
    const uint8_t *name;
    // The letters of the name, without the 0 at its end.
    int32_t name_length;
    // How many bases and qualities there are.
    int32_t length;
    const uint8_t *qualities;
    const uint8_t *tags;

    // Reads a record of at least kFixedSize bytes. Returns whether it is usual: htsjdk finds no
    // fault in it, and what is said here is true. `lengths` are those of the reference's sequences.
    bool parse(const uint8_t *from, const uint8_t *to, const int64_t *lengths, int64_t sequences);

    // Whether the record has any of these flags.
    bool has(int32_t flag) const { return (flags & flag) != 0; }
    bool is_primary() const { return !has(kSecondary | kSupplementary); }
    bool has_mapped_mate() const { return has(kPaired) && !has(kMateUnmapped); }
    std::string_view name_text() const {
        return {reinterpret_cast<const char *>(name), size_t(name_length)};
    }
    bool has_qualities() const { return length > 0 && *qualities != 0xff; }
    // The position of the 5' end. Clipped bases count as aligned.
    int64_t five_prime_end() const {
        return has(kReverse) ? position + span - 1 + clipped_end : position - clipped_start;
    }
    // The number of the bin, as htsjdk computes it when it writes the record.
    uint16_t bin() const;

   private:
    bool parse_cigar(const uint8_t *cigar, int32_t elements);
};

}  // namespace gkl_shim::records
